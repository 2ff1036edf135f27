package import Foundation

/// An open file, closed at its deallocation; reads and writes are at offsets, so that threads share no position.
package final class OpenFile: Sendable {
  private let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Opens a file that is no link, without blocking, as a named pipe would; `nil` after a failure, which sets `errno`.
  package static func opened(_ path: String, _ flags: Int32, mode: UInt32 = 0o600) -> OpenFile? {
    let descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode_t(mode))
    return descriptor < 0 ? nil : OpenFile(descriptor: descriptor)
  }

  convenience init(reading url: URL) throws {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    self.init(descriptor: descriptor)
  }

  deinit { close(descriptor) }

  package var status: FileStatus? { FileStatus(descriptor: descriptor) }

  /// Returns whether a path leads to this file, because another file may have taken its place.
  package func isAt(_ path: String) -> Bool {
    status.map { $0.identity == FileStatus(path: path)?.identity } ?? false
  }

  func touch() { _ = futimens(descriptor, nil) }

  /// Locks the file exclusively, also against other processes, until ``unlock()``, its deallocation or the end of the
  /// process; returns the `errno` of a failure.
  package func lock() -> Int32? { flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? nil : errno }

  /// Locks the file exclusively as soon as no other process has locked it; returns whether the file system supports
  /// locks.
  func waitForLock() -> Bool {
    while flock(descriptor, LOCK_EX) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  func unlock() { _ = flock(descriptor, LOCK_UN) }

  func setPermissions(_ permissions: UInt32) { _ = fchmod(descriptor, mode_t(permissions)) }

  package func truncate(to byteCount: Int) -> Bool { ftruncate(descriptor, off_t(byteCount)) == 0 }

  /// Returns whether an `errno` is that of a lock or a sync which the file system does not support.
  static func isUnsupported(_ number: Int32) -> Bool {
    [ENOLCK, EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(number)
  }

  /// Waits until all data is on the disk, if the file system supports that; returns the `errno` of a failure.
  func sync() -> Int32? {
    #if canImport(Darwin)
    // `fsync` leaves it to the drive in which order it writes. Not every file system supports the other call.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return nil }
    #endif
    return fsync(descriptor) == 0 || OpenFile.isUnsupported(errno) ? nil : errno
  }

  /// Reads bytes at an offset until the buffer is full or the file ends; returns `nil` after an error.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
    guard let start = buffer.baseAddress else { return 0 }
    return transfer(buffer.count) { pread(descriptor, start + $0, buffer.count - $0, off_t(offset + $0)) }
  }

  /// Reads bytes at an offset, fewer at the end of the file; returns `nil` after an error.
  func data(at offset: Int = 0, count: Int) -> Data? {
    var data = Data(count: count)
    return data.withUnsafeMutableBytes { read(into: $0, at: offset) }.map { data.prefix($0) }
  }

  /// Returns the checksum of a range, whose pieces are passed to `visit`; `nil` if it is incomplete or unreadable.
  func checksum(
    of range: Range<Int>, isCancelled: () -> Bool = { false }, visit: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) -> UInt64? {
    var checksum = XXH64()
    var offset = range.lowerBound
    let isComplete = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
      while offset < range.upperBound {
        let chunk = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(range.upperBound - offset))
        guard !isCancelled(), read(into: chunk, at: offset) == chunk.count else { return false }
        checksum.update(UnsafeRawBufferPointer(chunk))
        visit(UnsafeRawBufferPointer(chunk))
        offset += chunk.count
      }
      return true
    }
    return isComplete ? checksum.value : nil
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    return transfer(bytes.count) { pwrite(descriptor, start + $0, bytes.count - $0, off_t(offset + $0)) } == bytes.count
  }

  private func transfer(_ byteCount: Int, _ call: (_ done: Int) -> Int) -> Int? {
    var done = 0
    while done < byteCount {
      let count = call(done)
      if count == 0 { break }
      if count > 0 { done += count } else if errno != EINTR { return nil }
    }
    return done
  }
}

package struct FileStatus: Sendable {
  package enum Kind: Sendable {
    case file
    case folder
    case link
    case other
  }

  /// The identity of a file, which stays the same when it is renamed.
  package struct Identity: Equatable, Sendable {
    let device: UInt64
    let number: UInt64
  }

  package let kind: Kind
  package let byteCount: Int
  /// The time of modification, in nanoseconds since 1970.
  package let modifiedAt: Int64
  package let identity: Identity
  let linkCount: Int
  let owner: UInt32
  package let permissions: UInt32

  /// Whether the file belongs to the user of the process or to the administrator, who can change any file.
  var isTrusted: Bool { owner == geteuid() || owner == 0 }

  private init?(_ read: (UnsafeMutablePointer<stat>) -> Int32) {
    var status = stat()
    guard read(&status) == 0 else { return nil }
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

  init?(descriptor: Int32) { self.init { fstat(descriptor, $0) } }

  /// Returns the status of the file at a path, without following a link.
  package init?(path: String) { self.init { lstat(path, $0) } }

  /// Returns the status of a file in an open folder, without following a link.
  init?(folder: Int32, name: UnsafePointer<CChar>) { self.init { fstatat(folder, name, $0, AT_SYMLINK_NOFOLLOW) } }

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

extension URL {
  /// Excludes a file or a folder from the backups of Apple's platforms.
  package func excludeFromBackup() throws {
    #if canImport(Darwin)
    var (url, values) = (self, URLResourceValues())
    values.isExcludedFromBackup = true
    try url.setResourceValues(values)
    #endif
  }
}
