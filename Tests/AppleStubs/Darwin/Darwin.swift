// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase

// Apple's C library as far as the sources use it, so that `.ci/apple-check` can type-check on Linux what stands behind
// `canImport(Darwin)`: Glibc, which is mostly the same, and what Apple's headers have beyond it (sys/socket.h, sys/syslimits.h,
// spawn.h, mach/task_info.h of xnu). What Linux has in another form stands in Tests/AppleShadows. It is never linked into anything.

@_exported public import Glibc

/// Socket option: writing to a closed socket raises no signal.
public let SO_NOSIGPIPE: Int32 = 0x1022

/// Socket option: how many bytes wait to be sent.
public let SO_NWRITE: Int32 = 0x1024

/// File control: everything written is on the drive.
public let F_FULLFSYNC: Int32 = 51

/// The most descriptors that a process may ask for.
public let OPEN_MAX: Int32 = 10_240

/// Spawned processes inherit only the descriptors of the actions.
public let POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 = 0x4000

public typealias natural_t = UInt32
public typealias integer_t = Int32
public typealias kern_return_t = Int32
public typealias mach_port_t = UInt32
public typealias task_flavor_t = UInt32
public typealias mach_msg_type_number_t = UInt32
public typealias mach_vm_size_t = UInt64

public let KERN_SUCCESS: Int32 = 0
public let MACH_TASK_BASIC_INFO: Int32 = 20
// A variable of C, which the SDK declares safe.
public nonisolated(unsafe) var mach_task_self_: mach_port_t = 0

public struct time_value_t {
  public var seconds: integer_t = 0
  public var microseconds: integer_t = 0
}

public struct mach_task_basic_info {
  public var virtual_size: mach_vm_size_t = 0
  public var resident_size: mach_vm_size_t = 0
  public var resident_size_max: mach_vm_size_t = 0
  public var user_time = time_value_t()
  public var system_time = time_value_t()
  public var policy: Int32 = 0
  public var suspend_count: integer_t = 0

  public init() {}
}

public func task_info(
  _ task: mach_port_t, _ flavor: task_flavor_t, _ info: UnsafeMutablePointer<integer_t>!,
  _ count: UnsafeMutablePointer<mach_msg_type_number_t>!
) -> kern_return_t { KERN_SUCCESS }

extension stat {
  /// The time of modification, `st_mtim` on Linux.
  public var st_mtimespec: timespec { st_mtim }
}
