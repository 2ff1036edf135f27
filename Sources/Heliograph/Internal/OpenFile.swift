#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
/// An open file, which is closed at its deallocation.
///
/// Reads and writes are at offsets, so that threads share no position.
package final class OpenFile: Sendable {
  private let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  package var status: FileStatus? { FileStatus(descriptor: descriptor) }

  func touch() { _ = futimens(descriptor, nil) }

  /// Locks the file exclusively, also against other processes; returns the `errno` of a failure.
  ///
  /// The lock ends with the file, with ``unlock()`` or with the process.
  package func lock() -> Int32? { flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? nil : errno }

  func unlock() { _ = flock(descriptor, LOCK_UN) }

  /// Sets the permissions, if the file system supports them.
  func setPermissions(_ permissions: UInt32) { _ = fchmod(descriptor, mode_t(permissions)) }

  /// Truncates the file; returns whether it succeeded.
  package func truncate(to byteCount: Int) -> Bool { ftruncate(descriptor, off_t(byteCount)) == 0 }

  /// Waits until all data is on the disk; returns the `errno` of a failure.
  func sync() -> Int32? { fsync(descriptor) == 0 ? nil : errno }

  /// Reads bytes at an offset until the buffer is full or the file ends; returns `nil` after an error.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
    guard let start = buffer.baseAddress else { return 0 }
    var done = 0
    while done < buffer.count {
      let count = pread(descriptor, start + done, buffer.count - done, off_t(offset + done))
      if count == 0 { break }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        return nil
      }
    }
    return done
  }

  /// Writes all bytes at an offset; returns whether it succeeded.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, start + done, bytes.count - done, off_t(offset + done))
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}
