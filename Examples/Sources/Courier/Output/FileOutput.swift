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
  /// Whether it is a regular file, which never blocks.
  private let isRegular: Bool

  init(descriptor: Int32, name: String) {
    (self.descriptor, self.name) = (descriptor, name)
    var status = stat()
    isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Opens a device or a pipe; a pipe waits for its reader.
  init(openingDevice path: String) async throws(Failure) {
    var (descriptor, number) = Self.open(path)
    // A pipe without a reader.
    while descriptor < 0, number == ENXIO, Destination.type(atPath: path) == S_IFIFO {
      guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { throw Failure(.interrupted, "interrupted") }
      (descriptor, number) = Self.open(path)
    }
    if descriptor < 0 {
      throw Failure(
        .cannotWrite, "cannot open \(path): \(String(cString: strerror(number)))", "choose another file with -o")
    }
    self.init(descriptor: descriptor, name: path)
  }

  /// Opens a file without waiting; `write` waits instead.
  private static func open(_ path: String) -> (descriptor: Int32, number: Int32) {
    let descriptor = systemOpen(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
    return (descriptor, descriptor < 0 ? errno : 0)
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
      guard isRegular || isReady() else {
        if Task.isCancelled { throw Failure(.interrupted, "interrupted") }
        continue
      }
      // `errno` is read in the same closure, before anything else can change it.
      let (count, number) = rest.withUnsafeBytes { bytes in
        // A pipe that is ready takes `PIPE_BUF` bytes without blocking; what is appended to a file must stay whole.
        let limit = isRegular ? Int.max : Int(PIPE_BUF)
        let count = systemWrite(descriptor, bytes.baseAddress, min(bytes.count, limit))
        return (count, count < 0 ? errno : 0)
      }
      switch number {
      case 0: rest = rest.dropFirst(count)
      case EINTR, EAGAIN: continue
      // The reader, such as `head`, has what it wants.
      case EPIPE: throw Failure(.cannotWrite)
      default:
        throw Failure(
          .cannotWrite, "cannot write to \(name): \(String(cString: strerror(number)))", "check the destination")
      }
    }
  }

  /// Waits for a tenth of a second at most, in a cancelled task not at all, and returns whether a write would not block.
  private func isReady() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, Task.isCancelled ? 0 : 100) > 0
  }
}

/// `close` of the system, which the method hides.
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

/// `open` of the system, which the method hides.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

/// `write` of the system, which the method hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
