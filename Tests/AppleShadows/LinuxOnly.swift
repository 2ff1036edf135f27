// swift-format-ignore-file: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase

// What only Linux's C library has, for `.ci/apple-check`: see Darwin.swift. There is no name twice, so that a use of any is an
// error where Linux's own would be found otherwise.

@available(*, unavailable, message: "Linux only") let accept4: Never = fatalError()
@available(*, unavailable, message: "Linux only") let dup3: Never = fatalError()
@available(*, unavailable, message: "Linux only") let epoll_create1: Never = fatalError()
@available(*, unavailable, message: "Linux only") let epoll_ctl: Never = fatalError()
@available(*, unavailable, message: "Linux only") let epoll_wait: Never = fatalError()
@available(*, unavailable, message: "Linux only") let eventfd: Never = fatalError()
@available(*, unavailable, message: "Linux only") let eventfd_read: Never = fatalError()
@available(*, unavailable, message: "Linux only") let eventfd_write: Never = fatalError()
@available(*, unavailable, message: "Linux only") let getrandom: Never = fatalError()
@available(*, unavailable, message: "Linux only") let gettid: Never = fatalError()
@available(*, unavailable, message: "Linux only") let malloc_trim: Never = fatalError()
@available(*, unavailable, message: "Linux only") let mallinfo: Never = fatalError()
@available(*, unavailable, message: "Linux only") let mallinfo2: Never = fatalError()
@available(*, unavailable, message: "Linux only") let pipe2: Never = fatalError()
@available(*, unavailable, message: "Linux only") let ppoll: Never = fatalError()
@available(*, unavailable, message: "Linux only") let prctl: Never = fatalError()
@available(*, unavailable, message: "Linux only") let sched_getaffinity: Never = fatalError()
@available(*, unavailable, message: "Linux only") let sched_setaffinity: Never = fatalError()
@available(*, unavailable, message: "Linux only") let signalfd: Never = fatalError()
@available(*, unavailable, message: "Linux only") let timerfd_create: Never = fatalError()
@available(*, unavailable, message: "Linux only") let timerfd_settime: Never = fatalError()
@available(*, unavailable, message: "Linux only") let inotify_init1: Never = fatalError()
@available(*, unavailable, message: "Linux only") let memfd_create: Never = fatalError()
@available(*, unavailable, message: "Linux only") let posix_spawn_file_actions_addclosefrom_np: Never = fatalError()
@available(*, unavailable, message: "Linux only") let pthread_setaffinity_np: Never = fatalError()
@available(*, unavailable, message: "Linux only") let recvmmsg: Never = fatalError()
@available(*, unavailable, message: "Linux only") let sendmmsg: Never = fatalError()
@available(*, unavailable, message: "Linux only") let syscall: Never = fatalError()
@available(*, unavailable, message: "Linux only") let sysinfo: Never = fatalError()
@available(*, unavailable, message: "Linux only") let unshare: Never = fatalError()
@available(*, unavailable, message: "Linux only") let setns: Never = fatalError()
@available(*, unavailable, message: "Linux only") let clone: Never = fatalError()
@available(*, unavailable, message: "Linux only") let program_invocation_name: Never = fatalError()
@available(*, unavailable, message: "Linux only") let get_nprocs: Never = fatalError()
@available(*, unavailable, message: "Linux only") let close_range: Never = fatalError()
@available(*, unavailable, message: "Linux only") let explicit_bzero: Never = fatalError()
@available(*, unavailable, message: "Linux only") let strchrnul: Never = fatalError()
@available(*, unavailable, message: "Linux only") let MSG_NOSIGNAL: Int32 = 0
@available(*, unavailable, message: "Linux only") let MSG_CMSG_CLOEXEC: Int32 = 0
@available(*, unavailable, message: "Linux only") let SOCK_CLOEXEC: Int32 = 0
@available(*, unavailable, message: "Linux only") let SOCK_NONBLOCK: Int32 = 0
@available(*, unavailable, message: "Linux only") let SO_BINDTODEVICE: Int32 = 0
@available(*, unavailable, message: "Linux only") let SO_PEERCRED: Int32 = 0
@available(*, unavailable, message: "Linux only") let SO_INCOMING_CPU: Int32 = 0
@available(*, unavailable, message: "Linux only") let SOL_TCP: Int32 = 0
@available(*, unavailable, message: "Linux only") let SOL_IP: Int32 = 0
@available(*, unavailable, message: "Linux only") let TCP_KEEPIDLE: Int32 = 0
@available(*, unavailable, message: "Linux only") let TCP_USER_TIMEOUT: Int32 = 0
@available(*, unavailable, message: "Linux only") let TCP_QUICKACK: Int32 = 0
@available(*, unavailable, message: "Linux only") let TCP_CORK: Int32 = 0
@available(*, unavailable, message: "Linux only") let TCP_DEFER_ACCEPT: Int32 = 0
@available(*, unavailable, message: "Linux only") let POLLRDHUP: Int32 = 0
@available(*, unavailable, message: "Linux only") let EPOLLIN: Int32 = 0
@available(*, unavailable, message: "Linux only") let EPOLLOUT: Int32 = 0
@available(*, unavailable, message: "Linux only") let EPOLLET: Int32 = 0
@available(*, unavailable, message: "Linux only") let EPOLL_CTL_ADD: Int32 = 0
@available(*, unavailable, message: "Linux only") let AF_NETLINK: Int32 = 0
@available(*, unavailable, message: "Linux only") let PF_NETLINK: Int32 = 0
@available(*, unavailable, message: "Linux only") let NETLINK_ROUTE: Int32 = 0
@available(*, unavailable, message: "Linux only") let AF_PACKET: Int32 = 0
@available(*, unavailable, message: "Linux only") let CLOCK_BOOTTIME: Int32 = 0
@available(*, unavailable, message: "Linux only") let RLIMIT_NLIMITS: Int32 = 0
@available(*, unavailable, message: "Linux only") let RTLD_DEEPBIND: Int32 = 0
@available(*, unavailable, message: "Linux only") let O_PATH: Int32 = 0
@available(*, unavailable, message: "Linux only") let O_TMPFILE: Int32 = 0
@available(*, unavailable, message: "Linux only") let O_LARGEFILE: Int32 = 0
@available(*, unavailable, message: "Linux only") let __errno_location: Never = fatalError()
@available(*, unavailable, message: "Linux only") let __environ: Never = fatalError()
@available(*, unavailable, message: "Linux only") enum __rlimit_resource_t {}
@available(*, unavailable, message: "Linux only") enum __socket_type {}
@available(*, unavailable, message: "Linux only") enum __rusage_who_t {}
@available(*, unavailable, message: "Linux only") enum sockaddr_nl {}
@available(*, unavailable, message: "Linux only") enum nlmsghdr {}
@available(*, unavailable, message: "Linux only") enum rtmsg {}
@available(*, unavailable, message: "Linux only") enum ucred {}
