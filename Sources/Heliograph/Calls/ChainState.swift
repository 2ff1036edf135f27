import Signals

/// The steps of a chain and their progress: a value without side effects.
struct ChainState: Sendable {
  typealias Work = @Sendable (Chain) -> Signal<any Sendable, NetworkError>?

  enum Next {
    case start(Int, Work)
    case complete(Observer<Void, NetworkError>)
  }

  struct Resources {
    /// The handles of the steps in flight, in the order of their starts.
    var handles: [Disposable] = []
    var works: [Work] = []
    var observer: Observer<Void, NetworkError>?
  }

  private struct Step {
    var work: Work?
    /// The number of steps before this one that have not ended.
    var awaitedCount: Int
    var dependents: [Int] = []
    /// The handle of the step's subscription, from its start to its end.
    var handle: Disposable?
    var value: (any Sendable)?
    var hasEnded = false
  }

  private var steps: [Step] = []
  private var ready = FIFOQueue<Int>()
  /// The steps in the order of their starts.
  private var started: [Int] = []
  private var endedCount = 0
  private var observer: Observer<Void, NetworkError>?
  private var isTerminated = false
  private(set) var failedIndex: Int?

  mutating func add(_ work: @escaping Work, after indices: [Int]) -> Int {
    let index = steps.count
    let awaited = Set(indices).filter { $0 < index && !steps[$0].hasEnded }
    for other in awaited { steps[other].dependents.append(index) }
    steps.append(Step(work: isTerminated ? nil : work, awaitedCount: awaited.count))
    if awaited.isEmpty { ready.append(index) }
    return index
  }

  mutating func begin(_ observer: Observer<Void, NetworkError>) { self.observer = observer }

  /// Returns the next action; `nil` if no step is ready.
  mutating func takeNext() -> Next? {
    guard let observer, !isTerminated else { return nil }
    while let index = ready.popFirst() {
      guard let work = steps[index].work.take() else { continue }
      steps[index].handle = Disposable()
      started.append(index)
      return .start(index, work)
    }
    guard endedCount == steps.count else { return nil }
    isTerminated = true
    return .complete(observer)
  }

  func handle(at index: Int) -> Disposable? { isTerminated ? nil : steps[index].handle }

  func value(at index: Int) -> (any Sendable)? { steps.indices.contains(index) ? steps[index].value : nil }

  /// Stores a value; returns the previous one, to release it outside the lock.
  mutating func store(_ value: any Sendable, at index: Int) -> (any Sendable)? {
    let previous = steps[index].value
    steps[index].value = value
    return previous
  }

  /// Ends a step and marks dependents that wait for no other step as ready; returns the handle to release outside the lock.
  mutating func markEnded(_ index: Int) -> Disposable? {
    guard !isTerminated, !steps[index].hasEnded else { return nil }
    steps[index].hasEnded = true
    endedCount += 1
    for other in steps[index].dependents {
      steps[other].awaitedCount -= 1
      if steps[other].awaitedCount == 0 { ready.append(other) }
    }
    steps[index].dependents = []
    return steps[index].handle.take()
  }

  /// Records the step that has failed first; returns the observer to notify.
  mutating func markFailed(_ index: Int) -> Observer<Void, NetworkError>? {
    if isTerminated { return nil }
    failedIndex = index
    isTerminated = true
    return observer
  }

  mutating func stop() -> Resources {
    isTerminated = true
    let resources = Resources(
      handles: started.compactMap { steps[$0].handle }, works: steps.compactMap(\.work), observer: observer)
    for index in steps.indices { (steps[index].handle, steps[index].work) = (nil, nil) }
    (ready, started, observer) = (FIFOQueue(), [], nil)
    return resources
  }
}
