import Foundation
import Signals
import Synchronization

/// A sequence of exchanges, of which the last one is delivered: a rule decides after each head whether another follows;
/// a single object holds the whole sequence, because nearly every request passes through here with one exchange.
final class ExchangeSequence: Sendable {
  /// The time limit for the body of a followed response, beyond which a new connection is cheaper.
  static let droppedBodyTime = Duration.milliseconds(250)

  private let next: any ChainedTransport
  private let context: ExchangeContext
  private let plan = Guarded(ExchangePlan())
  private let firstURL: URL
  /// Whether the first response is delivered, so that all further events are passed on directly.
  private let passesEvents = Atomic(false)

  /// Creates a sequence; the scope of `context` cancels the exchange in flight and prevents all later ones.
  init(of request: HTTPRequest, over next: any ChainedTransport, in context: ExchangeContext) {
    self.next = next
    self.context = context
    firstURL = request.url
  }

  /// Starts an exchange of the sequence; by default the first one.
  func start(_ rule: some ExchangeRule, _ number: Int = 0) {
    // A request of an earlier identity no longer has a subscriber.
    if rule.request.isStale { return context.scope.dispose() }
    if context.scope.isDisposed { return }
    var rule = rule
    let request = rule.makeRequest().withRemainingTime
    // The reference cycle ends when the exchange terminates and its transport releases the observer.
    next.start(request, in: context.receiving { [self, rule] in receive($0, rule, number) })
  }

  private func receive(_ event: Event<TransportEvent, NetworkError>, _ rule: some ExchangeRule, _ number: Int) {
    // Events of one exchange are delivered serially.
    if number == 0, passesEvents.load(ordering: .relaxed) {
      return deliver(event, rule)
    }
    let input: ExchangePlan.Input
    switch event {
    case .value(.head(let head)):
      do throws(NetworkError) {
        let successor = try rule.successor(after: head)
        if number == 0, successor == nil {
          passesEvents.store(true, ordering: .relaxed)
          return deliver(event, rule)
        }
        if let successor {
          context.log?.add(redirect: head)
          if let recorder = context.attempt?.recorder {
            recorder.follow(rule.request, head, by: successor.request.withCookies)
            let redirect = RunHistory.Redirect(head, from: rule.request, to: successor.request)
            recorder.record(.redirect(redirect))
          }
        }
        input = .head(successor: successor)
      } catch {
        // A redirect that is refused has happened all the same: the cache forgets what it changed.
        context.log?.add(redirect: head)
        input = .failed(error, isFinal: true)
      }
    case .value(.sent), .value(.received), .value(.source): input = .progress
    case .value(.body(let data)): input = .body(byteCount: data.count)
    case .value(.metrics(let metrics)): input = .metrics(metrics)
    case .failed(let error):
      let isFinal = rule.request.deadline?.hasPassed == true
      input = .failed(error, isFinal: isFinal, repetition: isFinal ? nil : rule.repetition(after: error))
    case .completed: input = .completed
    }
    switch plan.withLock({ $0.react(to: input, of: number) }) {
    case .ignore: break
    case .deliver: deliver(event, rule)
    case .deliverMetrics(let sum): context.receive(.value(.metrics(sum)))
    case .fail(var error):
      if number > 0 {
        error.request = error.request ?? rule.request
        // A retry repeats the whole sequence, from the first request.
        error.request?.isIdempotent = rule.isIdempotent
        error.marks.firstPath = firstURL.path
      }
      context.scope.dispose()
      context.receive(.failed(error))
    case .wait:
      let scheduler: any SignalScheduler = .global
      // Weak: the timer of a sequence that has continued or was disposed does nothing.
      scheduler.schedule(after: ExchangeSequence.droppedBodyTime) { [weak self] in
        guard let self, case .start(let rule, let next) = plan.withLock({ $0.react(to: .waitEnded, of: number) }) else {
          return
        }
        start(rule, next)
      }
    case .start(let rule, let next): start(rule, next)
    }
  }

  /// Delivers an event, and reports the head of the response.
  private func deliver(_ event: Event<TransportEvent, NetworkError>, _ rule: some ExchangeRule) {
    guard case .value(.head(var head)) = event else { return context.receive(event) }
    context.log?.recordResponse()
    context.attempt?.recorder?.respond(head)
    let hasLostCredentials = rule.hasLostCredentials(at: head)
    if !rule.isAuthenticated, rule.isIdempotent, !hasLostCredentials { return context.receive(event) }
    if rule.isAfterEffect { head.isAfterEffect = true }
    if rule.isAuthenticated { head.isAuthenticated = true }
    if !rule.isIdempotent { head.isRepeatable = false }
    if hasLostCredentials { head.hasLostCredentials = true }
    context.receive(.value(.head(head)))
  }
}

extension HTTPRequest {
  /// The request with the remainder of its total timeout, for the next transport.
  var withRemainingTime: HTTPRequest {
    guard let deadline else { return self }
    var request = self
    request.totalTimeout = max(deadline.remaining, .zero)
    return request
  }
}

/// One exchange of a sequence and the rule for its response, such as to follow a redirect or to answer a challenge.
protocol ExchangeRule: Sendable {
  /// The request of the exchange, for errors.
  var request: HTTPRequest { get }
  /// Whether the sequence may be repeated: all its requests so far are idempotent.
  var isIdempotent: Bool { get }
  /// Whether an exchange after the first one counts as a redirect; otherwise the request counts as resent.
  var isRedirecting: Bool { get }
  /// Whether the request as sent has credentials that the rule added.
  var isAuthenticated: Bool { get }
  /// Whether an earlier request of the sequence, which was not idempotent, has been processed.
  var isAfterEffect: Bool { get }

  /// Returns the request as sent; called once, immediately before it is sent.
  mutating func makeRequest() -> HTTPRequest

  /// Returns whether the request of a response lacked credentials that an earlier one of the sequence had.
  func hasLostCredentials(at head: HTTPResponse) -> Bool

  /// Returns the exchange that follows a response, or `nil` if the response is to be delivered; throws the error with
  /// which the sequence fails.
  func successor(after head: HTTPResponse) throws(NetworkError) -> Self?

  /// Returns the exchange that repeats this one after a failure, or `nil` if the failure is to be delivered.
  func repetition(after error: NetworkError) -> Self?
}

extension ExchangeRule {
  func repetition(after error: NetworkError) -> Self? { nil }
}
