import Foundation
import Signals

/// The part of a download on disk, with its journal beside it: locked against other downloads, and extended in order.
///
/// All methods that read or write run on the queue of the destination, one at a time; the lock makes their order visible to
/// the compiler. It is not held while they do.
final class PartFile: Sendable {
  let paths: PartPaths
  private let options: DownloadOptions
  /// `nil` before the part is opened and after it is closed: then nothing is written.
  private let writer = Guarded<PartWriter?>(nil)

  init(_ destination: URL, _ options: DownloadOptions) {
    paths = PartPaths(destination)
    self.options = options
  }

  /// Opens, locks and verifies the part, or creates it.
  ///
  /// - Parameters:
  ///   - key: the checksum of the content's identity; a part with another one is not resumed.
  ///   - resumes: whether the part is resumed and kept.
  ///   - isCancelled: whether to stop the verification, which takes as long as it takes to read the part.
  /// - Throws: a `client` error.
  func open(key: String, resumes: Bool, _ isCancelled: () -> Bool) throws(NetworkError) {
    let opened = try PartWriter(paths, key: key, options, resumes: resumes, isCancelled)
    writer.withLock { $0 = opened }
  }

  /// The first position to ask for, with the validator; `nil` if the entire file is needed.
  ///
  /// It may be read on any thread, as ``isResumable``.
  var range: (start: Int, validator: String)? { writer.withLock { $0?.range } }

  /// Whether ranges are requested.
  var isResumable: Bool { writer.withLock { $0?.resumes ?? false } }

  /// Returns whether another request must follow at once, and resets it.
  func takeContinuation() -> Bool {
    writer.withLock { writer in
      let isNeeded = writer?.needsContinuation
      writer?.needsContinuation = false
      return isNeeded ?? false
    }
  }

  /// Begins with the body of a successful response: appended to the part, or instead of it.
  ///
  /// - Returns: `false` if the response does not fit the part: another request must follow.
  func begin(_ head: HTTPResponse, of request: HTTPRequest) throws(NetworkError) -> Bool {
    try perform { writer throws(NetworkError) in try writer.begin(head, of: request) } ?? true
  }

  /// Appends bytes.
  func write(_ data: Data) throws(NetworkError) {
    try perform { writer throws(NetworkError) in try writer.write(data) }
  }

  /// Checks that the file is complete, and moves it to its destination unless the download was cancelled.
  func finish(_ isCancelled: () -> Bool) throws(NetworkError) -> PartWriter.Outcome {
    let outcome = try perform { writer throws(NetworkError) in try writer.finish(isCancelled) } ?? .closed
    if outcome == .finished { writer.withLock { $0 = nil } }
    return outcome
  }

  /// Moves the file to its destination if a refused range says that it is complete (416, RFC 9110 §15.5.17).
  ///
  /// A server evaluates `If-Range` before `Range`, so the content has not changed. Otherwise the part is discarded.
  func end(
    after refusal: HTTPResponse, of request: HTTPRequest, _ isCancelled: () -> Bool
  ) throws(NetworkError) -> PartWriter.Outcome {
    let isComplete = try perform { writer throws(NetworkError) in try writer.end(after: refusal, of: request) } ?? nil
    guard let isComplete else { return .closed }
    return isComplete ? try finish(isCancelled) : .incomplete
  }

  /// Records the last block, as far as it has been written.
  func pause() {
    guard var writer = writer.withLock({ $0 }) else { return }
    writer.endBlock()
    self.writer.withLock { [writer] in $0 = writer }
  }

  /// Closes the part, which another download may open then; further calls have no effect.
  func close() { writer.withLock { $0.take() }?.close() }

  /// Calls a function of the writer, which is copied meanwhile; `nil` if the part is closed.
  @discardableResult
  private func perform<Result>(
    _ body: (inout PartWriter) throws(NetworkError) -> Result
  ) throws(NetworkError) -> Result? {
    guard var writer = writer.withLock({ $0 }) else { return nil }
    defer { self.writer.withLock { [writer] in $0 = writer } }
    return try body(&writer)
  }
}
