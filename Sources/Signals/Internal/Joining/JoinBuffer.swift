/// A buffer of the inputs of an ``ArrayJoin``: values that are unsent or may be sent again.
protocol JoinBuffer<Value>: Sendable {
  associatedtype Value: Sendable

  /// Whether no further array is possible, because of the inputs that have terminated.
  var isExhausted: Bool { get }

  /// Adds a value of an input and returns the array to send, if it is complete.
  mutating func add(_ value: Value, at index: Int) -> [Value]?

  /// Records that an input has terminated.
  mutating func complete(at index: Int)
}

/// The buffer of `Signal.zip(_:)`: one queue for each input.
///
/// Each value costs O(1) amortized: the queues are read only when none of them is empty.
struct ZipBuffer<Value: Sendable>: JoinBuffer {
  private var queues: [FIFOQueue<Value>]
  private var isCompleted: [Bool]
  private var filledCount = 0
  private(set) var isExhausted = false

  init(count: Int) {
    queues = Array(repeating: FIFOQueue(), count: count)
    isCompleted = Array(repeating: false, count: count)
  }

  mutating func add(_ value: Value, at index: Int) -> [Value]? {
    if queues[index].isEmpty { filledCount += 1 }
    queues[index].append(value)
    guard filledCount == queues.count else { return nil }
    var values: [Value] = []
    values.reserveCapacity(queues.count)
    for index in queues.indices {
      if let first = queues[index].popFirst() { values.append(first) }
      guard queues[index].isEmpty else { continue }
      filledCount -= 1
      if isCompleted[index] { isExhausted = true }
    }
    return values
  }

  mutating func complete(at index: Int) {
    isCompleted[index] = true
    if queues[index].isEmpty { isExhausted = true }
  }
}

/// The buffer of `Signal.combineLatest(_:)`: the latest value of each input.
///
/// Each value costs O(1) if no subscriber has kept the previous array, otherwise a copy of that array.
struct LatestBuffer<Value: Sendable>: JoinBuffer {
  /// The first values, until every input has sent one.
  private var firsts: [Value?]
  /// The latest values, once every input has sent one.
  private var latest: [Value] = []
  private var missingCount: Int
  private var runningCount: Int
  private(set) var isExhausted = false

  init(count: Int) {
    firsts = Array(repeating: nil, count: count)
    (missingCount, runningCount) = (count, count)
  }

  mutating func add(_ value: Value, at index: Int) -> [Value]? {
    if missingCount == 0 {
      latest[index] = value
      return latest
    }
    if case .none = firsts[index] { missingCount -= 1 }
    firsts[index] = .some(value)
    guard missingCount == 0 else { return nil }
    latest = firsts.compactMap { $0 }
    firsts = []
    return latest
  }

  mutating func complete(at index: Int) {
    runningCount -= 1
    if runningCount == 0 { isExhausted = true }
    if missingCount > 0, case .none = firsts[index] { isExhausted = true }
  }
}
