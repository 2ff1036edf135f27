/// The maximum sizes of a response; a longer one fails with the code ``NetworkError/Code/responseTooLarge``.
public struct ResponseLimits: Sendable, Hashable {
  /// The maximum size of the head in bytes: status line and header fields.
  ///
  /// Default: 262,144, as in browsers.
  public var headerByteCount: Int
  /// The maximum size of a body in memory in bytes, after content decoding.
  ///
  /// It applies to responses that are collected as a whole. A body that is delivered in pieces has no limit.
  /// Default: 268,435,456 (256 MiB).
  public var bodyByteCount: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - headerByteCount: the maximum size of the head in bytes. Default: 262,144.
  ///   - bodyByteCount: the maximum size of a body in memory in bytes. Default: 268,435,456.
  public init(headerByteCount: Int = 262_144, bodyByteCount: Int = 268_435_456) {
    self.headerByteCount = headerByteCount
    self.bodyByteCount = bodyByteCount
  }
}
