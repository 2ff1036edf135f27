/// The maximum sizes of a response; a larger response fails with the code ``NetworkError/Code/responseTooLarge``.
public struct ResponseLimits: Sendable, Hashable {
  /// The maximum size of the head in bytes: status line and header fields.
  ///
  /// Default: 262,144, as in browsers. Over `CurlTransport` libcurl's own limits apply as well: 300 KiB for the heads of
  /// an exchange together, 5,000 header fields and 100 KiB for one line.
  public var headerByteCount: Int
  /// The maximum size in bytes of a body collected in memory, after content decoding.
  ///
  /// For a streamed request (`stream`, `lines`, `events`, `download` to a file), the body of an error response is
  /// collected up to this limit or 1 MiB, whichever is smaller; the rest is dropped. If validators accept the error,
  /// `stream` and `lines` fail instead. Default: 268,435,456 (256 MiB).
  public var bodyByteCount: Int
  /// The maximum size of a body that is delivered in pieces or written to a file, in bytes, after content decoding.
  ///
  /// For a download it limits the whole file, including bytes that an earlier download received. Default: `nil`, no
  /// limit.
  public var streamedByteCount: Int?
  /// The maximum size of one line of a streamed body, or of one server-sent event, in bytes, after content decoding.
  ///
  /// A line is held in memory; the limit bounds that memory. Default: 16,777,216 (16 MiB).
  public var lineByteCount: Int

  /// Creates limits; every parameter has a default.
  ///
  /// - Parameters:
  ///   - headerByteCount: The maximum size of the head in bytes. Default: 262,144.
  ///   - bodyByteCount: The maximum size in bytes of a body in memory. Default: 268,435,456.
  ///   - streamedByteCount: The maximum size of a streamed body in bytes. Default: no limit.
  ///   - lineByteCount: The maximum size of a line or an event in bytes. Default: 16,777,216.
  public init(
    headerByteCount: Int = 262_144, bodyByteCount: Int = 268_435_456, streamedByteCount: Int? = nil,
    lineByteCount: Int = 16_777_216
  ) {
    self.headerByteCount = headerByteCount
    self.bodyByteCount = bodyByteCount
    self.streamedByteCount = streamedByteCount
    self.lineByteCount = lineByteCount
  }
}
