public import Foundation
public import Signals

/// A body made piece by piece, each asked for when the one before has gone out: memory does not grow with its length.
///
/// ```swift
/// let lines = BodyStream { BodyStream.pieces(of: ["one\n", "two\n"].map { Data($0.utf8) }) }
/// ```
/// It is opened anew for each sending, so it can be repeated after a redirect.
public struct BodyStream: Sendable {
  /// Gives the next piece: a signal of one value, or of none at the end.
  ///
  /// A failure ends the exchange with a `client` error of which it is the underlying one.
  public typealias Next = @Sendable () -> Signal<Data, any Error>

  /// How many bytes it has; `nil` if that is not known, and then it is sent in chunks (RFC 9112 §7.1).
  public let byteCount: Int?

  private let source: Source

  /// Makes a body of pieces.
  ///
  /// - Parameters:
  ///   - byteCount: how many bytes all pieces have together. Fewer end the exchange with a `client` error, and so does a
  ///     piece that goes beyond them; when there are as many, no further piece is asked for. Default: not known.
  ///   - open: starts from the beginning; called once for each sending. What it returns is called on the transport's
  ///     thread, one call after another.
  public init(byteCount: Int? = nil, open: @escaping @Sendable () -> Next) {
    self.byteCount = byteCount
    source = Source(open: open)
  }

  /// Starts from the beginning.
  public func open() -> Next { source.open() }

  /// The pieces of a list, one after another.
  ///
  /// - Parameter pieces: what is sent.
  /// - Returns: what gives them.
  public static func pieces(of pieces: [Data]) -> Next {
    let rest = Guarded(pieces[...])
    return { rest.withLock { $0.popFirst() }.map { .just($0) } ?? .empty }
  }
}

extension BodyStream: Hashable {
  /// Whether both are copies of the same stream.
  public static func == (left: BodyStream, right: BodyStream) -> Bool { left.source === right.source }

  /// Hashes the stream's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }
}

/// What opens a stream, with an identity.
private final class Source: Sendable {
  let open: @Sendable () -> BodyStream.Next

  init(open: @escaping @Sendable () -> BodyStream.Next) {
    self.open = open
  }
}
