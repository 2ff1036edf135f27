/// An event of a transfer: its progress or its result.
public enum Transfer<Value: Sendable>: Sendable {
  /// The progress.
  case progress(TransferProgress)
  /// The result, as the last event.
  case finished(Value)

  /// The progress; `nil` if the transfer is finished.
  public var progress: TransferProgress? { if case .progress(let progress) = self { progress } else { nil } }
  /// The result; `nil` until the transfer is finished.
  public var finished: Value? { if case .finished(let value) = self { value } else { nil } }
  /// The same as ``finished``: the response of an upload or a download into memory.
  public var response: Value? { finished }
}

extension Transfer: Equatable where Value: Equatable {}
extension Transfer: Hashable where Value: Hashable {}

/// The number of bytes of a body that have been sent or received.
///
/// In each direction the count never decreases, even when a redirect or a retry sends the body again. The last count
/// equals the total.
public struct TransferProgress: Sendable, Hashable {
  /// The direction of a body.
  public enum Direction: Sendable, Hashable {
    /// The request's body.
    case sending
    /// The response's body.
    case receiving
  }

  /// The direction of the body.
  public let direction: Direction
  /// The number of bytes sent or received; for a compressed body, the number of decompressed bytes.
  public let byteCount: Int
  /// The total number of bytes; `nil` while it is unknown: a stream without a length, a chunked or compressed body.
  public let totalByteCount: Int?

  /// Creates progress.
  ///
  /// - Parameters:
  ///   - direction: the direction of the body.
  ///   - byteCount: the number of bytes sent or received.
  ///   - totalByteCount: the total number of bytes. Default: unknown.
  public init(_ direction: Direction, byteCount: Int, totalByteCount: Int? = nil) {
    self.direction = direction
    self.byteCount = byteCount
    self.totalByteCount = totalByteCount
  }

  /// The completed fraction, from 0 to 1; `nil` while the total is unknown.
  public var fractionCompleted: Double? {
    totalByteCount.map { $0 > 0 ? min(1, Double(byteCount) / Double($0)) : 1 }
  }
}

extension Transfer: CustomStringConvertible {
  /// The progress, or the value, on one line.
  public var description: String {
    switch self {
    case .progress(let progress): "\(progress)"
    case .finished(let value): "finished: \(value)"
    }
  }
}

extension TransferProgress: CustomStringConvertible {
  /// Direction and byte counts on one line.
  public var description: String {
    let total = totalByteCount.map { " of \($0)" } ?? ""
    return "\(direction == .sending ? "sent" : "received") \(byteCount)\(total) bytes"
  }
}
