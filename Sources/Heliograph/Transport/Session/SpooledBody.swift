package import Foundation
package import Signals

/// A stream that is written to a temporary file, for a transport that needs the length of a body or a file.
package struct SpooledBody: Sendable {
  private let request: HTTPRequest
  private let stream: BodyStream
  private let folder: URL

  package init(_ request: HTTPRequest, _ stream: BodyStream, in folder: URL = FileManager.default.temporaryDirectory) {
    self.request = request
    self.stream = stream
    self.folder = folder
  }

  /// Runs an exchange with the stream in a file, which is removed when the exchange terminates.
  ///
  /// The file is written on the global concurrent queue. Only the user can read it.
  package func exchange(
    _ send: @escaping @Sendable (HTTPRequest) -> Signal<TransportEvent, NetworkError>
  ) -> Signal<TransportEvent, NetworkError> {
    let spooling = Signal<TransportEvent, NetworkError> { observer in
      let url = folder.appendingPathComponent("heliograph-\(UUID().uuidString)")
      // Created with 0600, so that no other user can open the file before a chmod.
      let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else {
        observer.fail(failure("cannot create a temporary file: \(String(cString: strerror(errno)))"))
        return nil
      }
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      // Opened after the observer has the handle, because the source may dispose it.
      let sending = Signal<TransportEvent, NetworkError>.deferred {
        write(stream.open(), to: file).sharedFlatMap { count in
          try? file.close()
          if let expected = stream.byteCount, count < expected { return .fail(sizeMismatch(expected, count)) }
          var spooled = request
          spooled.body = .file(url)
          return send(spooled)
        }
      }
      let handle = Disposable { try? FileManager.default.removeItem(at: url) }
      return sending.subscribe(for: observer, with: handle, under: observer.pressure) { observer.send($0) }
    }
    return spooling.subscribe(on: .global)
  }

  /// Writes the rest of a stream; the signal sends the number of bytes written.
  private func write(
    _ next: @escaping BodyStream.Next, to file: FileHandle, after count: Int = 0
  ) -> Signal<Int, NetworkError> {
    // The source may send on any thread, such as the main one.
    next().collect().observe(on: .global)
      .mapError { .failedStream($0).attaching(request) }
      .sharedFlatMap { pieces in
        guard !pieces.isEmpty else { return .just(count) }
        let sum = pieces.reduce(count) { $0 + $1.count }
        if let expected = stream.byteCount, sum > expected { return .fail(sizeMismatch(expected, nil)) }
        do {
          for piece in pieces { try file.write(contentsOf: piece) }
        } catch {
          return .fail(failure("cannot write the temporary file", error))
        }
        return write(next, to: file, after: sum)
      }
  }

  private func sizeMismatch(_ expected: Int, _ count: Int?) -> NetworkError {
    .sizeMismatch(declared: expected, read: count).attaching(request)
  }

  private func failure(_ reason: String, _ underlying: (any Error)? = nil) -> NetworkError {
    NetworkError(.invalidBody, reason: reason, request: request, underlying: underlying)
  }
}
