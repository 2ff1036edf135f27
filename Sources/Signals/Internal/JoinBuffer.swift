/// The values of an ``ArrayJoin``'s inputs that have not been sent, or may be sent again.
protocol JoinBuffer<Value>: Sendable {
  associatedtype Value: Sendable

  /// Whether the inputs that have ended leave nothing that could be sent.
  var isExhausted: Bool { get }

  /// Adds an input's value; returns the array to send, if there is one.
  mutating func add(_ value: Value, at index: Int) -> [Value]?

  /// Notes that an input has ended.
  mutating func complete(at index: Int)
}

/// A queue for each input of `Signal.zip(_:)`.
///
/// A value costs O(1) amortized: an array of n values is looked for only when no queue is empty.
struct ZipBuffer<Value: Sendable>: JoinBuffer {
  private var queues: [Waiting<Value>]
  private var isCompleted: [Bool]
  private var filledCount = 0
  private(set) var isExhausted = false

  init(count: Int) {
    queues = Array(repeating: Waiting(), count: count)
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

/// The latest value of each input of `Signal.combineLatest(_:)`.
///
/// A value costs O(1) while nobody else keeps the array that was sent last, else a copy of it.
struct LatestBuffer<Value: Sendable>: JoinBuffer {
  /// Until every input has sent a value.
  private var firsts: [Value?]
  /// From then on.
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
