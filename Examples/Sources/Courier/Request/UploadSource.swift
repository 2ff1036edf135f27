import Foundation
import Heliograph
import Synchronization

/// What `courier upload` sends: a file, or standard input.
enum UploadSource: Sendable {
  case file(URL)
  case input

  init(_ path: String) throws(Failure) {
    self = path == "-" ? .input : .file(try LocalFile.readable(path))
  }

  /// The name for people.
  var title: String {
    switch self {
    case .file(let url): url.lastPathComponent
    case .input: "standard input"
    }
  }

  /// Returns the content as a body of its own.
  func body(input: FileHandle) -> RequestBody {
    switch self {
    case .file(let url): .file(url, contentType: "application/octet-stream")
    case .input: .stream(BodyStream(readingOnce: input), contentType: "application/octet-stream")
    }
  }

  /// Returns the content as a part of a form.
  func part(_ name: String, input: FileHandle) -> Multipart.Part {
    switch self {
    case .file(let url): .file(name, url)
    case .input: .stream(name, BodyStream(readingOnce: input), fileName: "stdin")
    }
  }
}

extension BodyStream {
  /// Creates a body of unknown length from a file or pipe that can be read only once: a second opening fails.
  init(readingOnce handle: FileHandle) {
    let isOpen = Mutex(false)
    self.init {
      let wasOpen = isOpen.withLock { isOpen in
        defer { isOpen = true }
        return isOpen
      }
      return {
        Signal { observer in
          // Reading waits for the other end of a pipe, so it has its own thread.
          DispatchQueue(label: "courier.input").async {
            do {
              if wasOpen { throw Failure(.cannotRead, "standard input cannot be sent twice", "send a file") }
              let data = try handle.read(upToCount: 65_536) ?? Data()
              if !data.isEmpty { observer.send(data) }
              observer.complete()
            } catch {
              observer.fail(error)
            }
          }
          return nil
        }
      }
    }
  }
}
