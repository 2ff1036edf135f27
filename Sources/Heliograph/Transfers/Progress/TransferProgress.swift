/// The progress of sending or receiving a body.
///
/// In each direction the count never decreases, even when a redirect or a retry sends the body again. The first and the
/// last count are always reported, except that a total timeout may precede the last one; the others at most once per
/// interval; see ``RequestOptions/progressInterval``. The last count of a complete transfer equals the total.
public struct TransferProgress: Sendable, Hashable {
  /// Whether the request body is sent or the response body received.
  public enum Direction: Sendable, Hashable {
    /// Uploading the request body.
    case sending
    /// Downloading the response body.
    case receiving
  }

  /// Whether the request body is sent or the response body received.
  public let direction: Direction
  /// The number of bytes sent or received; for a body that is decoded, the number of decoded bytes.
  ///
  /// In a partial response (206) that extends to the end of its representation, the bytes before the range count as
  /// received, so that a resumed download continues at its offset. The body of an error response is not counted, and with
  /// a response from the cache nothing is.
  public let byteCount: Int
  /// The total number of bytes; `nil` while it is unknown, as for a stream without a length, or a body that is chunked
  /// or decoded.
  public let totalByteCount: Int?
  /// The rate in bytes per second; `nil` until bytes have been counted for 100 milliseconds.
  ///
  /// The rate is an exponential moving average with a time constant of 3 seconds. The bytes before the offset of a
  /// resumed download are not included. While a transfer stalls, nothing is reported.
  public let bytesPerSecond: Double?

  /// Creates progress.
  ///
  /// - Parameters:
  ///   - direction: Whether the request body is sent or the response body received.
  ///   - byteCount: The number of bytes sent or received.
  ///   - totalByteCount: The total number of bytes. Default: unknown.
  ///   - bytesPerSecond: The rate in bytes per second. Default: unknown.
  public init(_ direction: Direction, byteCount: Int, totalByteCount: Int? = nil, bytesPerSecond: Double? = nil) {
    self.direction = direction
    self.byteCount = byteCount
    self.totalByteCount = totalByteCount
    self.bytesPerSecond = bytesPerSecond
  }

  /// The completed fraction, from 0 to 1; `nil` while the total is unknown.
  public var fractionCompleted: Double? {
    totalByteCount.map { $0 > 0 ? min(1, Double(byteCount) / Double($0)) : 1 }
  }

  /// The estimated remaining time at the current rate; `nil` if the total or the rate is unknown, or if the estimate
  /// exceeds 30 years.
  public var timeRemaining: Duration? {
    guard let totalByteCount, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    if byteCount >= totalByteCount { return .zero }
    let seconds = Double(totalByteCount - byteCount) / bytesPerSecond
    return seconds < 1_000_000_000 ? .seconds(seconds) : nil
  }
}

extension TransferProgress: CustomStringConvertible {
  /// The direction and the byte counts on one line.
  public var description: String {
    let total = totalByteCount.map { " of \($0)" } ?? ""
    return "\(direction == .sending ? "sent" : "received") \(byteCount)\(total) bytes"
  }
}
