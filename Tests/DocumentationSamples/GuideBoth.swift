import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of ComingFromOtherLibraries about both libraries in one app, over stand-ins for RxSwift's types.
nonisolated final class Observable<Element>: Sendable {
  private let start: @Sendable (AnyObserver<Element>) -> RxDisposable

  private init(_ start: @escaping @Sendable (AnyObserver<Element>) -> RxDisposable) { self.start = start }

  static func create(_ start: @escaping @Sendable (AnyObserver<Element>) -> RxDisposable) -> Observable {
    Observable(start)
  }

  func subscribe(
    onNext: @escaping @Sendable (Element) -> Void, onError: @escaping @Sendable (any Error) -> Void,
    onCompleted: @escaping @Sendable () -> Void
  ) -> RxDisposable {
    start(AnyObserver(onNext: onNext, onError: onError, onCompleted: onCompleted))
  }
}

nonisolated struct AnyObserver<Element>: Sendable {
  let onNext: @Sendable (Element) -> Void
  let onError: @Sendable (any Error) -> Void
  let onCompleted: @Sendable () -> Void
}

nonisolated struct RxDisposable: Sendable {
  let dispose: @Sendable () -> Void
}

nonisolated enum Disposables {
  static func create(with dispose: @escaping @Sendable () -> Void) -> RxDisposable { RxDisposable(dispose: dispose) }
}

// sample: both-observable
extension Signals.Signal {
  var rxObservable: Observable<Value> {
    Observable.create { observer in
      let handle = subscribe(
        onValue: { observer.onNext($0) }, onFailure: { observer.onError($0) }, onCompletion: { observer.onCompleted() })
      return Disposables.create { handle.dispose() }
    }
  }
}
// end sample

// sample: both-signal
extension Observable where Element: Sendable {
  var signal: Signals.Signal<Element, any Error> {
    Signals.Signal { observer in
      let subscription = self.subscribe(
        onNext: { observer.send($0) }, onError: { observer.fail($0) }, onCompleted: { observer.complete() })
      return Signals.Disposable { subscription.dispose() }
    }
  }
}
// end sample

/// The stand-in for RxRelay's type.
nonisolated final class BehaviorRelay<Element: Sendable>: Sendable {
  private let current: CurrentValue<Element>

  init(value: Element) { current = CurrentValue(value) }

  func accept(_ value: Element) { current.value = value }

  func subscribe(
    onNext: @escaping @Sendable (Element) -> Void, onCompleted: @escaping @Sendable () -> Void
  ) -> RxDisposable {
    let handle = current.signal.subscribe(onValue: onNext)
    return RxDisposable { handle.dispose() }
  }
}

// sample: both-relay
extension BehaviorRelay where Element: Sendable {
  var signal: Signals.Signal<Element, Never> {
    Signals.Signal { observer in
      let subscription = self.subscribe(onNext: { observer.send($0) }, onCompleted: { observer.complete() })
      return Signals.Disposable { subscription.dispose() }
    }
  }
}
// end sample

struct BothSamples {
  private struct Oops: Error {}

  @Test func aSignalGoesThereAndBack() {
    let subject = PublishSubject<Int, Oops>()
    let recorder = SignalRecorder(subject.signal.rxObservable.signal)
    subject.send(1)
    expectEqual(recorder.values, [1])
    subject.fail(Oops())
    expect(recorder.failure is Oops)
  }

  @Test func aRelayIsASignalThatCannotFail() {
    let relay = BehaviorRelay(value: 1)
    let recorder = SignalRecorder(relay.signal)
    relay.accept(2)
    expectEqual(recorder.values, [1, 2])
    recorder.dispose()
    relay.accept(3)
    expectEqual(recorder.values, [1, 2])
  }

  @Test func aDisposalReachesTheSource() {
    let subject = PublishSubject<Int, Never>()
    let ended = CurrentValue(false)
    let handle = subject.signal.finally { ended.value = true }.rxObservable.signal.subscribe { _ in }
    expect(!ended.value)
    handle.dispose()
    expect(ended.value)
  }
}
