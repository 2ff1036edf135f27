#if canImport(Combine)
import Combine

/// The state of a Combine subscription to a signal: its buffer, its demand and whether a delivery is in flight.
struct CombineDemand<Value: Sendable, Failure: Error>: Sendable {
  typealias Recipient = CombineBox<any Subscriber<Value, Failure>>

  /// The action of one iteration of the delivery loop, performed outside the lock.
  enum Step: Sendable {
    case value(Value, to: Recipient)
    case end(End<Value, Failure>, to: Recipient)
    case nothing
  }

  /// The subscriber, or `nil` after termination and after cancellation.
  private(set) var subscriber: Recipient?
  private(set) var waiting = FIFOQueue<Value>()
  private var isDelivering = false
  /// The unfulfilled demand, or `nil` if unlimited.
  private var demand: Int? = 0
  /// The end that follows the buffered values: a failure, completion or a silent end.
  private var ending: End<Value, Failure>?

  init(subscriber: Recipient) {
    self.subscriber = subscriber
  }

  private init(isDelivering: Bool) {
    self.isDelivering = isDelivering
  }

  /// The state after a cancellation; a delivery in flight stops by itself.
  var cancelled: CombineDemand { CombineDemand(isDelivering: isDelivering) }

  mutating func append(_ value: Value) {
    if subscriber != nil { waiting.append(value) }
  }

  mutating func terminate(_ end: End<Value, Failure>) {
    if subscriber != nil, ending == nil { ending = end }
  }

  mutating func add(_ count: Int?) {
    guard let current = demand, let count else {
      demand = nil
      return
    }
    let (sum, isOverflow) = current.addingReportingOverflow(count)
    demand = isOverflow ? nil : sum
  }

  mutating func claimDelivery() -> Bool {
    guard subscriber != nil, !isDelivering else { return false }
    isDelivering = true
    return true
  }

  /// Returns the next step for the thread that has claimed the delivery.
  ///
  /// Every step but a value releases the claim.
  mutating func nextStep() -> Step {
    if let subscriber, demand != 0, let value = waiting.popFirst() {
      if let current = demand { demand = current - 1 }
      return .value(value, to: subscriber)
    }
    isDelivering = false
    guard let subscriber, waiting.isEmpty, let ending else { return .nothing }
    self = cancelled
    return .end(ending, to: subscriber)
  }
}
#endif
