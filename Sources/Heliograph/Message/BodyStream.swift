public import Foundation
public import Signals

/// A request body in pieces, each requested when the previous one has been sent: memory does not grow with the length.
///
/// ```swift
/// let lines = BodyStream { BodyStream.pieces(of: ["one\n", "two\n"].map { Data($0.utf8) }) }
/// ```
/// The stream is opened anew each time it is sent, so it can be sent again after a redirect.
public struct BodyStream: Sendable {
  /// Returns the next piece: a signal of one value, or of none at the end.
  ///
  /// A failure ends the exchange with a `client` error and is its underlying error.
  public typealias Next = @Sendable () -> Signal<Data, any Error>

  /// The size in bytes; `nil` if it is unknown, and the body is sent in chunks (RFC 9112 §7.1).
  public let byteCount: Int?

  private let source: Source

  /// Whether the stream cannot be sent again, because it can be read only once and was opened.
  package var isSpent: Bool { source.isSpent() }

  /// Creates a body from pieces.
  ///
  /// - Parameters:
  ///   - byteCount: The size of all pieces together, in bytes. If the pieces have fewer or more bytes, the exchange
  ///     fails with a `client` error; the last bytes are therefore sent only when the source has ended. A stream of 0
  ///     bytes may not be read at all. Default: unknown.
  ///   - open: Starts from the beginning; called once each time the body is sent. The closure that it returns is called
  ///     on the transport's thread, one call after another.
  public init(byteCount: Int? = nil, open: @escaping @Sendable () -> Next) {
    self.init(byteCount: byteCount, isSpent: { false }, open: open)
  }

  package init(
    byteCount: Int?, isSpent: @escaping @Sendable () -> Bool, open: @escaping @Sendable () -> Next
  ) {
    self.byteCount = byteCount
    source = Source(open: open, isSpent: isSpent)
  }

  /// Opens the stream at its beginning.
  public func open() -> Next { source.open() }

  /// Returns a source for the pieces of a list, one after another.
  ///
  /// - Parameter pieces: The pieces to send.
  /// - Returns: The source.
  public static func pieces(of pieces: [Data]) -> Next {
    let rest = Guarded(pieces[...])
    return { rest.withLock { $0.popFirst() }.map { .just($0) } ?? .empty }
  }
}

extension BodyStream: Hashable {
  /// Returns whether both are copies of the same stream.
  public static func == (left: BodyStream, right: BodyStream) -> Bool { left.source === right.source }

  /// Hashes the stream's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }
}

/// The closure that opens a stream, with an identity.
private final class Source: Sendable {
  let open: @Sendable () -> BodyStream.Next
  let isSpent: @Sendable () -> Bool

  init(open: @escaping @Sendable () -> BodyStream.Next, isSpent: @escaping @Sendable () -> Bool) {
    self.open = open
    self.isSpent = isSpent
  }
}
