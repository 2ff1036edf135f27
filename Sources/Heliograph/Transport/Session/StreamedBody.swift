// On Linux a session loses a streamed body after 307 and 308, and has no pair of bound streams: `SpooledBody` is used
// there.
#if !canImport(FoundationNetworking)
package import Foundation
import Signals

/// The streamed body of a task: a pair of bound streams with a limited buffer, one for each time that the session
/// requests it.
///
/// Everything runs on one serial queue, whose thread is not blocked: pieces are requested when the buffer has space.
package final class StreamedBody: Sendable {
  private static let bufferByteCount = 65_536

  /// A weak link from a stream's reader to the body that it wakes.
  private final class Link: Sendable {
    private struct State {
      weak var body: StreamedBody?
    }

    private let state = Guarded(State())

    func set(_ body: StreamedBody) { state.withLock { $0.body = body } }

    func wake() { state.withLock { $0.body }?.feedLater() }
  }

  private let queue = DispatchQueue(label: "heliograph.body")
  private let feed = Guarded<BodyFeed?>(nil)
  private let reader: PieceReader
  private let isClosed = Guarded(false)
  private let isAwaitingSource = Guarded(false)
  private let onWait: @Sendable (_ isAwaiting: Bool) -> Void
  private let onFailure: @Sendable (NetworkError) -> Void

  /// Opens a stream; `onWait` is called when a wait for the source begins or ends.
  init(
    _ stream: BodyStream, onWait: @escaping @Sendable (_ isAwaiting: Bool) -> Void,
    onFailure: @escaping @Sendable (NetworkError) -> Void
  ) {
    self.onWait = onWait
    self.onFailure = onFailure
    let link = Link()
    reader = PieceReader(stream) { link.wake() }
    link.set(self)
  }

  /// Passes a stream of the body, from its beginning, to the session, even when the body is sent again.
  ///
  /// When sent again, a body that can be read only once fails with ``NetworkError/Code/invalidBody``.
  func open(_ completionHandler: @escaping @Sendable (InputStream?) -> Void) {
    queue.async { [self] in
      feed.withLock { $0.take() }?.close()
      if isClosed.withLock({ $0 }) { return completionHandler(nil) }
      reader.rewind()
      var (input, output): (InputStream?, OutputStream?) = (nil, nil)
      Stream.getBoundStreams(
        withBufferSize: StreamedBody.bufferByteCount, inputStream: &input, outputStream: &output)
      guard let output else { return completionHandler(nil) }
      let sink = StreamSink(output, on: queue) { [weak self] in self?.feedNow() }
      let feed = BodyFeed(reader, to: sink, onFailure: onFailure)
      self.feed.withLock { $0 = feed }
      report(isAwaiting: false)
      completionHandler(input)
      sink.open()
    }
  }

  /// Cancels the request for a piece, when the exchange has ended.
  ///
  /// The stream stays open until the task has ended: a task that is being cancelled would mistake the end of the stream
  /// for the end of the body, and the server would accept a truncated body.
  func stop() {
    isClosed.withLock { $0 = true }
    queue.async { [self] in
      reader.close()
      currentFeed?.stop()
    }
  }

  /// Closes both ends, when the task has ended.
  func close() {
    isClosed.withLock { $0 = true }
    queue.async { [self] in
      reader.close()
      feed.withLock { $0.take() }?.close()
    }
  }

  /// The length of the body; `nil` until its end was read.
  var byteCountAtEnd: Int? { reader.byteCountAtEnd }

  private var currentFeed: BodyFeed? { feed.withLock { $0 } }

  private func feedLater() {
    queue.async { [self] in feedNow() }
  }

  private func feedNow() {
    guard let feed = currentFeed else { return }
    feed.feed()
    report(isAwaiting: feed.isAwaitingSource)
  }

  private func report(isAwaiting: Bool) {
    let hasChanged = isAwaitingSource.withLock { current in
      defer { current = isAwaiting }
      return current != isAwaiting
    }
    if hasChanged { onWait(isAwaiting) }
  }
}

/// The writing end of a pair of bound streams, used on its queue only.
private final class StreamSink: NSObject, StreamDelegate, BodySink {
  // Used only on the queue of its events, like every member of this class.
  nonisolated(unsafe) private let output: OutputStream
  private let onSpace: @Sendable () -> Void

  init(_ output: OutputStream, on queue: DispatchQueue, onSpace: @escaping @Sendable () -> Void) {
    self.output = output
    self.onSpace = onSpace
    super.init()
    output.delegate = self
    CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue)
  }

  // The stream does not retain its delegate.
  deinit { output.delegate = nil }

  func open() { output.open() }

  var hasSpace: Bool { output.hasSpaceAvailable }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return 0 }
    return output.write(start, maxLength: bytes.count)
  }

  func close() {
    output.delegate = nil
    CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
    output.close()
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    // After an error, a write fails and closes the feed.
    if event.contains(.hasSpaceAvailable) || event.contains(.errorOccurred) { onSpace() }
  }
}

extension SessionDelegate {
  /// Passes the body of a streamed request to the session, from its beginning.
  package func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let body = exchanges.record(task)?.body else { return completionHandler(nil) }
    body.open(completionHandler)
  }
}
#endif
