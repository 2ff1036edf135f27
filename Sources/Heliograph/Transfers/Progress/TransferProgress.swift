/// The progress of a body being sent or received.
///
/// In each direction the count never decreases, even when a redirect or a retry sends the body again. The first and
/// the last count are always reported, the others at most once in an interval; see
/// ``RequestOptions/progressInterval``. The last count of a complete transfer equals the total.
public struct TransferProgress: Sendable, Hashable {
  /// The direction of a body.
  public enum Direction: Sendable, Hashable {
    /// Uploading the request body.
    case sending
    /// Downloading the response body.
    case receiving
  }

  /// The direction of the body.
  public let direction: Direction
  /// The number of bytes sent or received; for a compressed body, the number of decompressed bytes.
  ///
  /// In a partial response that extends to the end of its representation (206), the bytes before it count as received:
  /// a resumed download continues at its offset. The body of an error response is not counted.
  public let byteCount: Int
  /// The total number of bytes; `nil` while it is unknown: a stream without a length, a chunked or compressed body.
  public let totalByteCount: Int?
  /// The rate in bytes per second; `nil` until bytes have been counted for 100 milliseconds.
  ///
  /// It is an exponential moving average with a time constant of 3 seconds. The bytes before the offset of a resumed
  /// download are not included. While a transfer stalls, nothing is reported.
  public let bytesPerSecond: Double?

  /// Creates progress.
  ///
  /// - Parameters:
  ///   - direction: The direction of the body.
  ///   - byteCount: The number of bytes sent or received.
  ///   - totalByteCount: The total number of bytes. Default: unknown.
  ///   - bytesPerSecond: The rate. Default: unknown.
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

  /// The remaining time at the current rate; `nil` if the total or the rate is unknown, or for more than 30 years.
  public var timeRemaining: Duration? {
    guard let totalByteCount, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    if byteCount >= totalByteCount { return .zero }
    let seconds = Double(totalByteCount - byteCount) / bytesPerSecond
    return seconds < 1_000_000_000 ? .seconds(seconds) : nil
  }
}

extension TransferProgress: CustomStringConvertible {
  /// Direction and byte counts on one line.
  public var description: String {
    let total = totalByteCount.map { " of \($0)" } ?? ""
    return "\(direction == .sending ? "sent" : "received") \(byteCount)\(total) bytes"
  }
}
