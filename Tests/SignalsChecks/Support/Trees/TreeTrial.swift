import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport

/// Runs one tree through one script, in the library and in the reference, and compares.
struct TreeTrial: CustomStringConvertible {
  enum Step: Sendable {
    case send(Int, Int)
    case complete(Int)
    case completeWith(Int, Int)
    case fail(Int)
    /// Advances the time by so many microseconds.
    case advance(Int)
    case dispose
  }

  /// What came of both sides.
  struct Outcome {
    /// What the reference sent.
    var expected: [TreeEntry]
    /// The events of both sides, each with the number of its step, or `nil` if they are the same.
    var events: String?
    /// What is kept afterwards.
    var kept: String?
  }

  var tree: Tree
  var steps: [Step]
  /// Whether the handle is kept until the end.
  let keepsHandle: Bool

  /// A random tree of at most `size` stages with a random script.
  init(seed: UInt64, size: Int) {
    var random = SeededGenerator(seed: seed)
    tree = Tree.random(max(random.number(1...size), random.number(1...size)), &random)
    steps = (0..<random.number(5...24)).map { _ in
      let source = random.number(0...Tree.sourceCount - 1)
      return switch random.number(1...60) {
      case 1: .complete(source)
      case 2...3: .completeWith(source, random.number(0...99))
      case 4: .fail(source)
      case 5...18: .advance(random.number(1...2_000_000))
      default: .send(source, random.number(0...99))
      }
    }
    keepsHandle = random.number(1...4) != 1
    if keepsHandle && random.number(1...4) == 1 { steps.append(.dispose) }
  }

  var description: String {
    "\(tree)\n    script: \(steps.map { "\($0)" }.joined(separator: " "))\(keepsHandle ? "" : ", handle dropped")"
  }

  /// Runs both sides; the reference another tree, to see whether that is noticed.
  func outcome(referenceTree: Tree? = nil) -> Outcome {
    let library = LibrarySide(tree, keepsHandle: keepsHandle)
    let reference = ReferenceSide(referenceTree ?? tree)
    // At last everything completes and the time passes, repeatedly for those that subscribe again.
    let closing = (0..<Tree.sourceCount).map { Step.complete($0) } + [.advance(20_000_000)]
    for step in steps + (0..<8).flatMap({ _ in closing }) {
      if library.isTerminated && reference.isTerminated { break }
      library.run(step)
      reference.run(step)
    }
    var result = Outcome(expected: reference.entries)
    if library.entries != reference.entries {
      result.events = "library   \(library.entries)\n    reference \(reference.entries)"
    }
    // What does not end by itself is disposed.
    if !library.isTerminated { library.run(.dispose) }
    result.kept = library.kept
    return result
  }

  /// The smallest variant that is wrong in the same way.
  func shrunk(by isWrong: (Outcome) -> Bool) -> TreeTrial {
    var smallest = self
    while let smaller = smallest.variants.first(where: { isWrong($0.outcome()) }) { smallest = smaller }
    return smallest
  }

  /// The same with one step or one stage less.
  private var variants: [TreeTrial] {
    let shorter = steps.indices.map { index in
      var variant = self
      variant.steps.remove(at: index)
      return variant
    }
    let simpler = tree.simplified.map { tree in
      var variant = self
      variant.tree = tree
      return variant
    }
    return simpler + shorter
  }
}

/// An event with the number of the step that caused it.
struct TreeEntry: Equatable, CustomStringConvertible {
  let step: Int
  let event: ReferenceEvent

  var description: String {
    switch event {
    case .value(let value): "\(step):\(value)"
    case .failed(let fault): "\(step):failed(\(fault))"
    case .completed: "\(step):completed"
    }
  }
}

/// The tree as the library runs it.
private final class LibrarySide {
  private let signals = TreeSignals()
  private let log = Log<(step: Int, event: ReferenceEvent)>()
  private let step = Tally()
  private var handle: Disposable?
  private var isDisposed = false

  init(_ tree: Tree, keepsHandle: Bool) {
    let token = signals.parts.token()
    let handle = signals.signal(tree).subscribe { [log, step] event in
      token.use()
      log.add((step.count, event.reference))
    }
    if keepsHandle { self.handle = handle }
  }

  var entries: [TreeEntry] { log.entries.map { TreeEntry(step: $0.step, event: $0.event) } }

  var isTerminated: Bool { isDisposed || entries.last?.event.isEnd == true }

  func run(_ next: TreeTrial.Step) {
    step.arrive()
    let (sources, parts) = (signals.sources, signals.parts)
    switch next {
    case .send(let index, let value): sources[index].send(parts.token(value))
    case .complete(let index): sources[index].complete()
    case .completeWith(let index, let value): sources[index].complete(with: parts.token(value))
    case .fail(let index): sources[index].fail(.broken)
    case .advance(let microseconds): parts.clock.advance(by: .microseconds(microseconds))
    case .dispose:
      handle?.dispose()
      isDisposed = handle != nil
    }
  }

  /// What is kept though everything is over.
  var kept: String? {
    // Without a handle, what does not end by itself lives on.
    guard isTerminated else { return nil }
    let parts = signals.parts
    var result: [String] = []
    if parts.census.alive > 0 { result.append("\(parts.census.alive) alive") }
    if !signals.sources.allSatisfy(\.isIdle) { result.append("a source is not idle") }
    // A turn that a scheduler was asked for is not cancelled, only timers are.
    parts.clock.advance()
    if parts.clock.pendingCount > 0 { result.append("\(parts.clock.pendingCount) pieces of work pending") }
    let (starts, teardowns) = (parts.starts.count, parts.teardowns.count)
    if starts != teardowns { result.append("\(teardowns) teardowns of \(starts) starts") }
    return result.isEmpty ? nil : result.joined(separator: ", ")
  }
}

/// The tree as the reference runs it.
private final class ReferenceSide {
  private let reference = Reference()
  private var step = 0
  private(set) var entries: [TreeEntry] = []
  private var subscription = ReferenceRun { _, _ in }

  init(_ tree: Tree) {
    subscription = ReferenceRun { [unowned self] _, event in entries.append(TreeEntry(step: step, event: event)) }
    reference.signal(tree)(subscription)
  }

  var isTerminated: Bool { subscription.isTerminated }

  func run(_ next: TreeTrial.Step) {
    step += 1
    switch next {
    case .send(let index, let value): reference.sources[index].send(.value(value))
    case .complete(let index): reference.sources[index].send(.completed)
    case .completeWith(let index, let value): reference.sources[index].send(.value(value), .completed)
    case .fail(let index): reference.sources[index].send(.failed(.broken))
    case .advance(let microseconds): reference.clock.advance(by: microseconds)
    case .dispose: subscription.dispose()
    }
  }
}

extension Event where Value == Token, Failure == Fault {
  fileprivate var reference: ReferenceEvent {
    switch self {
    case .value(let token): .value(token.number)
    case .failed(let fault): .failed(fault)
    case .completed: .completed
    }
  }
}
