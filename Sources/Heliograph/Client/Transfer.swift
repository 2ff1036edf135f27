/// What is told of a transfer: how far it is, and at last what has come of it.
public enum Transfer<Value: Sendable>: Sendable {
  /// How far it is.
  case progress(TransferProgress)
  /// It is done: the last one.
  case finished(Value)

  /// How far it is, unless it is done.
  public var progress: TransferProgress? { if case .progress(let progress) = self { progress } else { nil } }
  /// What has come of it, once it is done.
  public var finished: Value? { if case .finished(let value) = self { value } else { nil } }
}

extension Transfer: Equatable where Value: Equatable {}
extension Transfer: Hashable where Value: Hashable {}

/// How many bytes of a body have been sent or have come.
///
/// In each direction the count never goes back, also when a redirect or a retry sends the body again, and the last one is
/// equal to the total. Requirement S0-21.
public struct TransferProgress: Sendable, Hashable {
  /// Which way a body goes.
  public enum Direction: Sendable, Hashable {
    /// The request's body, on its way out.
    case sending
    /// The response's body, on its way in.
    case receiving
  }

  /// Which body is meant.
  public let direction: Direction
  /// How many bytes of it have been sent or have come; of a compressed body, as many as there are when it is undone.
  public let byteCount: Int
  /// How many there will be; `nil` as long as that is not known: a stream without a length, a chunked or compressed body.
  public let totalByteCount: Int?

  /// Makes progress.
  ///
  /// - Parameters:
  ///   - direction: which body is meant.
  ///   - byteCount: how many bytes of it have been sent or have come.
  ///   - totalByteCount: how many there will be. Default: not known.
  public init(_ direction: Direction, byteCount: Int, totalByteCount: Int? = nil) {
    self.direction = direction
    self.byteCount = byteCount
    self.totalByteCount = totalByteCount
  }

  /// The part that is done, from 0 to 1; `nil` as long as the total is not known.
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
