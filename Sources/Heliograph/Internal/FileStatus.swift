#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
package struct FileStatus: Sendable {
  package enum Kind: Sendable {
    case file
    case folder
    case link
    case other
  }

  /// The identity of a file, which stays the same when it is renamed.
  struct Identity: Equatable, Sendable {
    let device: UInt64
    let number: UInt64
  }

  package let kind: Kind
  package let byteCount: Int
  /// The time of modification, in nanoseconds since 1970.
  let modifiedAt: Int64
  let identity: Identity
  let linkCount: Int
  let owner: UInt32
  package let permissions: UInt32

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    byteCount = Int(clamping: status.st_size)
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    modifiedAt = Self.nanoseconds(time)
    linkCount = Int(status.st_nlink)
    owner = status.st_uid
    permissions = UInt32(status.st_mode) & 0o777
    identity = Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Returns the status of the file at a path, without following a link.
  package init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Returns the status of a file in an open folder, without following a link.
  init?(folder: Int32, name: UnsafePointer<CChar>) {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    self.init(status)
  }

  /// The current time in nanoseconds since 1970, for comparison with times of modification.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    let (seconds, isTooLarge) = Int64(time.tv_sec).multipliedReportingOverflow(by: Int64(1_000_000_000))
    return isTooLarge ? .max / 2 : seconds &+ Int64(time.tv_nsec)
  }
}
