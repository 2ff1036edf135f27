/// How much of a response is taken; what is longer is refused with the code ``NetworkError/Code/responseTooLarge``.
public struct ResponseLimits: Sendable, Hashable {
  /// The most bytes that the head may have: status line and header fields.
  ///
  /// Default: 262,144, which is what browsers take.
  public var headerByteCount: Int
  /// The most bytes that a body may have in memory, counted after its content coding has been undone.
  ///
  /// It holds for responses that are gathered whole; a body that is passed on piece by piece has no limit.
  /// Default: 268,435,456 (256 MiB).
  public var bodyByteCount: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - headerByteCount: the most bytes of a head. Default: 262,144.
  ///   - bodyByteCount: the most bytes of a body in memory. Default: 268,435,456.
  public init(headerByteCount: Int = 262_144, bodyByteCount: Int = 268_435_456) {
    self.headerByteCount = headerByteCount
    self.bodyByteCount = bodyByteCount
  }
}
