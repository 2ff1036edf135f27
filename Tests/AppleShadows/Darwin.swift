// swift-format-ignore-file: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase

// What Apple's C library has in another form than Linux's, for `.ci/apple-check`, which adds this file to every module: a
// module's own names hide imported ones. Types are those that Swift shows for the headers of xnu (sys/socket.h, sys/types.h,
// netinet/in.h, spawn.h, sys/resource.h). What Linux lacks altogether stands in Tests/AppleStubs/Darwin.

import Glibc

// Enumerations on Linux, macros on Apple's systems.
let SOCK_STREAM: Int32 = 1
let SOCK_DGRAM: Int32 = 2
let SHUT_RD: Int32 = 0
let SHUT_WR: Int32 = 1
let SHUT_RDWR: Int32 = 2
let IPPROTO_TCP: Int32 = 6
let IPPROTO_UDP: Int32 = 17
let RLIMIT_FSIZE: Int32 = 1
let RLIMIT_NOFILE: Int32 = 8
let RUSAGE_SELF: Int32 = 0
let SOL_SOCKET: Int32 = 0xFFFF
let TIOCOUTQ: UInt = 0x4004_7473

typealias sa_family_t = UInt8
typealias nfds_t = UInt32
typealias suseconds_t = Int32
typealias sigset_t = UInt32
typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
typealias posix_spawnattr_t = UnsafeMutableRawPointer

/// An internet address; Apple's begins with its own length.
struct sockaddr_in {
  var sin_len: UInt8 = 0
  var sin_family: sa_family_t = 0
  var sin_port: UInt16 = 0
  var sin_addr = in_addr()
  var sin_zero: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar) = (0, 0, 0, 0, 0, 0, 0, 0)
}

struct timeval {
  var tv_sec = 0
  var tv_usec: suseconds_t = 0
}

struct clockid_t: RawRepresentable, Equatable {
  var rawValue: UInt32

  init(_ rawValue: UInt32) { self.rawValue = rawValue }
  init(rawValue: UInt32) { self.rawValue = rawValue }
}

var CLOCK_REALTIME: clockid_t { clockid_t(0) }
var CLOCK_MONOTONIC: clockid_t { clockid_t(6) }
var CLOCK_PROCESS_CPUTIME_ID: clockid_t { clockid_t(12) }
var CLOCK_THREAD_CPUTIME_ID: clockid_t { clockid_t(16) }

@discardableResult func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { 0 }
// A value, as a further function would make `numericCast` of the count ambiguous.
let poll: @Sendable (UnsafeMutablePointer<pollfd>?, _ count: nfds_t, _ timeout: Int32) -> Int32 = { _, _, _ in 0 }
@discardableResult func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 { 0 }
@discardableResult func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { 0 }
@discardableResult func getrusage(_ of: Int32, _ usage: UnsafeMutablePointer<rusage>!) -> Int32 { 0 }
@discardableResult func sigemptyset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { 0 }
// A pointer there, a number on Linux.
func pthread_self() -> UnsafeMutablePointer<Int> { .allocate(capacity: 1) }
