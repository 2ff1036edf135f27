import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file or terminal, such as standard output.
struct FileOutput: Output {
  let descriptor: Int32
  /// Its name in errors.
  let name: String

  init(descriptor: Int32, name: String) {
    (self.descriptor, self.name) = (descriptor, name)
  }

  /// Opens a device or a pipe; a pipe waits for its reader.
  init(openingDevice path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    if descriptor < 0 {
      throw Failure(
        .cannotWrite, "cannot open \(path): \(String(cString: strerror(errno)))", "choose another file with -o")
    }
    self.init(descriptor: descriptor, name: path)
  }

  func close() { systemClose(descriptor) }

  var columns: Int? {
    guard isatty(descriptor) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  func write(_ data: Data) throws(Failure) {
    var rest = data[...]
    while !rest.isEmpty {
      guard isReady() else {
        if Task.isCancelled { throw Failure(.interrupted, "interrupted") }
        continue
      }
      // `errno` is read in the same closure, before anything else can change it.
      let (count, number) = rest.withUnsafeBytes { bytes in
        // A pipe that is ready takes as much without blocking.
        let count = systemWrite(descriptor, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF)))
        return (count, count < 0 ? errno : 0)
      }
      switch number {
      case 0: rest = rest.dropFirst(count)
      case EINTR, EAGAIN: continue
      // The reader, such as `head`, has what it wants.
      case EPIPE: throw Failure(.cannotWrite)
      default:
        throw Failure(
          .cannotWrite, "cannot write to \(name): \(String(cString: strerror(number)))", "see where it leads")
      }
    }
  }

  /// Waits for a tenth of a second at most, and returns whether a write would not block.
  private func isReady() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 100) > 0
  }
}

/// `close` of the system, which the method hides.
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

/// `write` of the system, which the method hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
