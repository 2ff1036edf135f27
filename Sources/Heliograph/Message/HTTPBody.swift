public import Foundation
public import Signals

/// The body of a request: empty, data, a file or a stream.
public enum HTTPBody: Sendable, Hashable {
  /// No body.
  case empty
  /// Data in memory.
  case data(Data)
  /// The content of a file, read while the body is sent.
  case file(URL)
  /// A stream of pieces that are produced while the body is sent.
  case stream(BodyStream)

  /// The size in bytes; `nil` if it is unknown before the body is sent.
  public var byteCount: Int? {
    switch self {
    case .empty: 0
    case .data(let data): data.count
    case .file(let url): url.fileByteCount
    case .stream(let stream): stream.byteCount
    }
  }

  /// Whether the body is known to have no bytes, without a look at a file.
  package var isEmpty: Bool { if case .file = self { false } else { byteCount == 0 } }

  /// Whether the body cannot be sent again; see ``BodyStream/isSpent``.
  package var isSpent: Bool { if case .stream(let stream) = self { stream.isSpent } else { false } }
}

extension HTTPBody: _Summarized {
  /// The kind of the body and its size, without its content.
  public var description: String {
    switch self {
    case .empty: "no body"
    case .data(let data): "\(data.count) bytes"
    case .file(let url): "file \(url.lastPathComponent.singleLine)"
    case .stream(let stream): stream.byteCount.map { "stream of \($0) bytes" } ?? "stream"
    }
  }
}

extension URL {
  /// The size of a file in bytes, following symbolic links; `nil` for a folder, a pipe or a missing file, and for a
  /// file that has content but no size, such as `/proc/self/status`.
  package var fileByteCount: Int? {
    // The resource values of an unresolved link describe the link itself.
    let values = try? resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    guard values?.isRegularFile == true, let count = values?.fileSize else { return nil }
    return count == 0 && hasContent ? nil : count
  }

  /// The size of a file in bytes; `nil` if it has none or cannot be read.
  package var readableByteCount: Int? { FileManager.default.isReadableFile(atPath: path) ? fileByteCount : nil }

  private var hasContent: Bool {
    guard let handle = try? FileHandle(forReadingFrom: self) else { return false }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: 1))?.isEmpty == false
  }
}

/// A request body in pieces, each requested when the previous one has been sent, so memory use does not grow with the
/// length.
///
/// ```swift
/// let lines = BodyStream { BodyStream.pieces(of: ["one\n", "two\n"].map { Data($0.utf8) }) }
/// ```
/// The stream is opened anew each time it is sent, so it can be sent again after a redirect. Only its copies equal it.
public struct BodyStream: Sendable, Hashable {
  /// Returns the next piece: a signal of one value, or of none at the end.
  ///
  /// If the signal fails, the exchange fails with ``NetworkError/Code/invalidBody``, whose ``NetworkError/underlying``
  /// error is that failure. An ``NetworkError/Code/invalidBody`` without a request is delivered itself.
  public typealias Next = @Sendable () -> Signal<Data, any Error>

  /// The size in bytes; `nil` if it is unknown: the body is then sent in chunks (RFC 9112 §7.1).
  public let byteCount: Int?

  private let source: Identified<(open: @Sendable (any SignalScheduler) -> Next, isSpent: @Sendable () -> Bool)>

  /// Whether the stream cannot be sent again, because it can be read only once and was opened.
  package var isSpent: Bool { source.value.isSpent() }

  /// Creates a body from pieces.
  ///
  /// - Parameters:
  ///   - byteCount: The size of all pieces together, in bytes. If the pieces have fewer or more bytes, the exchange
  ///     fails with a `client` error; the last bytes are therefore sent only when the source has ended. The transport
  ///     may skip reading a stream of 0 bytes. Default: unknown.
  ///   - open: Starts from the beginning; called each time the body is sent. The returned closure is called serially,
  ///     on any thread; it must not block, because over a ``CurlTransport`` all other exchanges would wait.
  public init(byteCount: Int? = nil, open: @escaping @Sendable () -> Next) {
    self.init(byteCount: byteCount, isSpent: { false }, open: { _ in open() })
  }

  /// Creates a body whose `open` gets the scheduler on which files are opened, read and closed.
  package init(
    byteCount: Int?, isSpent: @escaping @Sendable () -> Bool,
    open: @escaping @Sendable (_ files: any SignalScheduler) -> Next
  ) {
    self.byteCount = byteCount
    source = Identified((open, isSpent))
  }

  /// Opens the stream at its beginning.
  public func open() -> Next { open(files: .immediate) }

  /// Opens the stream at its beginning; files are opened, read and closed on the scheduler.
  func open(files scheduler: any SignalScheduler) -> Next { source.value.open(scheduler) }

  /// Returns a closure that yields the pieces of a list, one per call.
  ///
  /// - Parameter pieces: The pieces to send.
  /// - Returns: The closure.
  public static func pieces(of pieces: [Data]) -> Next {
    let rest = Guarded(pieces[...])
    return { rest.withLock { $0.popFirst() }.map { .just($0) } ?? .empty }
  }
}
