/// An event of a transfer: its progress or its result.
public enum Transfer<Value: Sendable>: Sendable {
  /// The progress.
  case progress(TransferProgress)
  /// The result: the last event, unless the signal has several results, such as the elements of an array.
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

extension Transfer: CustomStringConvertible {
  /// The progress, or the value, on one line.
  public var description: String {
    switch self {
    case .progress(let progress): "\(progress)"
    case .finished(let value): "finished: \(value)"
    }
  }
}
