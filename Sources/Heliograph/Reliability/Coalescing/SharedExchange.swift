import Signals

/// One exchange shared by several identical requests, its members.
///
/// All joins and events pass through one queue and are delivered by one thread at a time, so that a late member
/// receives the earlier events before the next one.
final class SharedExchange: Sendable {
  typealias Received = Event<TransportEvent, NetworkError>

  fileprivate enum Step {
    case join(SharedExchangeMember)
    case event(Received)
  }

  fileprivate struct Delivery {
    var members: [SharedExchangeMember] = []
    var events: [Received] = []
    /// The first member, which owns the exchange.
    var first: SharedExchangeMember?
    var hasSource = false
    /// Events no longer needed for replay, deallocated outside the lock.
    var dropped: [TransportEvent] = []
    /// A member that has left before it joined, deallocated outside the lock.
    var droppedMember: SharedExchangeMember?
  }

  fileprivate struct State {
    /// The members that have not left, including those in the queue.
    var memberCount = 0
    var isOpen = true
    /// Whether an event has been received, so that the exchange cannot begin again.
    var hasReceived = false
    var isTerminated = false
    var receivedByteCount = 0
    var steps = FIFOQueue<Step>()
    // Updated as steps are taken from the queue.
    var first: SharedExchangeMember?
    /// The members that have joined, with the numbers of their joins; a dictionary, because thousands may leave at once.
    var members: [ObjectIdentifier: (number: Int, member: SharedExchangeMember)] = [:]
    var joinCount = 0
    var replayed: [TransportEvent] = []
    var replayedByteCount = 0
    var hasSource = false
  }

  /// The size of the received body beyond which no further member is accepted: 1 MiB; until then all events are
  /// buffered in memory for later members.
  fileprivate static let replayByteLimit = 1_048_576

  let key: SharingKey
  private let exchanges: SharedExchanges
  private let log = SendLog()
  private let retry = SharedRetry()
  private let state = Guarded(State())
  private let drain = Drain()
  private let scope = Disposable()

  init(_ key: SharingKey, in exchanges: SharedExchanges) {
    self.key = key
    self.exchanges = exchanges
  }

  /// Adds a member, which receives the earlier events; returns `false` if the exchange accepts no further members.
  func add(_ member: SharedExchangeMember, isFirst: Bool) -> Bool {
    let isAdded = state.withLock { state in
      if !state.isOpen { return false }
      if isFirst { state.first = member }
      state.memberCount += 1
      state.steps.append(.join(member))
      return true
    }
    if isAdded { deliver() }
    return isAdded
  }

  /// Sends the request of the first member, on behalf of all members.
  func start(_ request: HTTPRequest, of first: ExchangeContext, over next: any ChainedTransport) {
    var outgoing = request
    // Each member has its own total timeout.
    outgoing.totalTimeout = nil
    var context = request.context
    context.deadline = nil
    context.unsigned = nil
    outgoing.context = context
    log.start = first.log?.start
    // A source that ends silently frees the receiver, and sends no event.
    let ending = EndAction { [self] in abandon() }
    next.start(
      outgoing,
      in: ExchangeContext(attempt: first.attempt, log: log, scope: scope) { [self] event in
        withExtendedLifetime(ending) { receive(event) }
      })
  }

  /// Closes the exchange after it has ended silently, as when the owner of a signal that middleware waits for is
  /// deallocated.
  ///
  /// The first member then waits as it would without sharing, and the others begin another exchange, on the global
  /// concurrent queue. After an event, all of them wait.
  private func abandon() {
    let left = state.withLock { state -> (first: SharedExchangeMember?, others: [SharedExchangeMember])? in
      if state.isTerminated { return nil }
      state.isOpen = false
      if state.hasReceived { return (nil, []) }
      var members = state.orderedMembers
      while let step = state.steps.popFirst() {
        if case .join(let member) = step { members.append(member) }
      }
      let first = state.first
      (state.first, state.members) = (nil, [:])
      return (first, members.filter { $0 !== first })
    }
    guard let left else { return }
    exchanges.remove(self)
    // Whoever frees the source may hold a lock.
    DispatchScheduler.global.schedule {
      left.first?.drop()
      for member in left.others { member.restart() }
    }
  }

  var memberCount: Int { state.withLock { $0.memberCount } }

  /// Returns the error of a member whose total timeout has passed, by how far the exchange has come.
  func failure(of member: SharedExchangeMember, _ request: HTTPRequest, at deadline: Deadline) -> NetworkError {
    member.adapt(to: state.withLock { $0.first })
    if log.isQueued { return deadline.failure(of: request, Metrics(endedAt: deadline.elapsed)) }
    deadline.activity = log.sent == nil ? .middleware : .exchange
    var error = deadline.failure()
    if let sent = member.sent { error.request = sent }
    return error
  }

  /// Removes a member; removing the last one cancels the exchange.
  ///
  /// Must be called once for each member.
  func leave(_ member: SharedExchangeMember) {
    // The exchange may last, and with it its first member.
    member.forget()
    let previous = state.withLock { state -> State? in
      state.memberCount -= 1
      state.members[ObjectIdentifier(member)] = nil
      if state.memberCount > 0 || state.isTerminated { return nil }
      let previous = state
      state = State(isOpen: false, isTerminated: true)
      return previous
    }
    guard let previous else { return }
    exchanges.remove(self)
    withExtendedLifetime(previous) {}
    scope.dispose()
  }

  private func receive(_ event: Received) {
    let isClosed = state.withLock { state in
      if state.isTerminated { return false }
      let wasOpen = state.isOpen
      state.hasReceived = true
      if case .value(.body(let data)) = event { state.receivedByteCount += data.count }
      if event.isTerminal { state.isTerminated = true }
      if state.isTerminated || state.receivedByteCount > SharedExchange.replayByteLimit { state.isOpen = false }
      state.steps.append(.event(event))
      return wasOpen && !state.isOpen
    }
    // Removed before the end is delivered, so that a request sent by a subscriber begins a new exchange.
    if isClosed { exchanges.remove(self) }
    deliver()
  }

  /// Delivers the queued steps, unless another thread is doing so.
  private func deliver() {
    drain.run {
      while let delivery = state.withLock({ $0.takeNext() }) {
        for member in delivery.members {
          let source = member === delivery.first || delivery.hasSource ? nil : ResponseSource.shared
          for event in delivery.events { member.receive(event, from: source, log, retry, sentBy: delivery.first) }
        }
      }
    }
  }
}

extension SharedExchange.State {
  fileprivate var orderedMembers: [SharedExchangeMember] {
    // Most exchanges have one.
    members.count == 1 ? members.values.map(\.member) : members.values.sorted { $0.number < $1.number }.map(\.member)
  }

  /// Removes the next step and returns what to deliver; `nil` if there is none.
  fileprivate mutating func takeNext() -> SharedExchange.Delivery? {
    guard let step = steps.popFirst() else { return nil }
    var delivery = SharedExchange.Delivery(first: first)
    switch step {
    case .join(let member):
      if member.isTerminated {
        delivery.droppedMember = member
        break
      }
      joinCount += 1
      members[ObjectIdentifier(member)] = (joinCount, member)
      delivery.members = [member]
      delivery.events = replayed.map { .value($0) }
    case .event(let event):
      delivery.members = orderedMembers
      delivery.events = [event]
      if let event = event.value { store(event) } else { members = [:] }
      if replayedByteCount > SharedExchange.replayByteLimit || event.isTerminal {
        swap(&delivery.dropped, &replayed)
      }
    }
    delivery.hasSource = hasSource
    return delivery
  }

  private mutating func store(_ event: TransportEvent) {
    switch event {
    case .sent, .received: return
    case .source: hasSource = true
    case .body(let data): replayedByteCount += data.count
    default: break
    }
    if replayedByteCount <= SharedExchange.replayByteLimit { replayed.append(event) }
  }
}
