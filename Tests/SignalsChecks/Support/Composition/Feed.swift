import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport

/// The source at the head of a composition, with the verbs that feed and end it.
final class Feed: Sendable {
  /// What the source is.
  enum Origin: String, CaseIterable {
    case create
    case subject
    case shared
    case current
  }

  let origin: Origin
  private let source = Source<Token>()
  private let subject = Later<PublishSubject<Token, Fault>>()
  private let current = Later<CurrentValue<Token>>()

  init(_ origin: Origin, _ census: Census) {
    self.origin = origin
    if origin == .subject { subject.value = PublishSubject() }
    if origin == .current { current.value = CurrentValue(census.token(0)) }
  }

  /// The signal to compose, which the caller drops once it has subscribed.
  func signal() -> Signal<Token, Fault> {
    switch origin {
    case .create: source.signal
    case .shared: source.signal.share(replay: 1)
    case .subject: subject.value.map { $0.signal } ?? .empty
    case .current: current.value.map { $0.signal.fallible } ?? .empty
    }
  }

  func send(_ token: Token) {
    source.send(token)
    subject.value?.send(token)
    current.value?.send(token)
  }

  /// Completes the source; a current value is deallocated.
  func complete() {
    source.complete()
    subject.value?.complete()
    current.value = nil
  }

  /// Completes the source with a last value; a subject sends it and then completes.
  func complete(with token: Token) {
    source.complete(with: token)
    subject.value?.send(token)
    subject.value?.complete()
    current.value?.send(token)
    current.value = nil
  }

  func fail() {
    source.fail(.broken)
    subject.value?.fail(.broken)
    current.value = nil
  }

  /// Deallocates a subject or a current value, if nobody else keeps it.
  func abandon() {
    subject.value = nil
    current.value = nil
  }

  /// How many tokens the source itself keeps: a current value's latest.
  var keptCount: Int { current.value == nil ? 0 : 1 }

  /// Whether every subscription to work of its own has been torn down once.
  var isIdle: Bool { source.isIdle }
}
