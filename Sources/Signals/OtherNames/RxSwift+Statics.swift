// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

extension Signal {
  @available(*, unavailable, message: "Write .empty, a property")
  public static func empty(_ nothing: Void = ()) -> Signal { .empty }

  @available(*, unavailable, message: "Write .never, a property")
  public static func never(_ nothing: Void = ()) -> Signal { .never }

  @available(*, unavailable, renamed: "fail(_:)")
  public static func error(_ failure: Failure) -> Signal { .empty }

  @available(*, unavailable, message: "Write .from([a, b])")
  public static func of(_ values: Value...) -> Signal { .empty }

  @available(*, unavailable, message: "Write Signal { observer in … }")
  public static func create(_ start: @escaping @Sendable (Observer<Value, Failure>) -> Disposable?) -> Signal { .empty }

  @available(*, unavailable, renamed: "timer(every:on:)")
  public static func interval(_ period: Duration, scheduler: some SignalScheduler = .global) -> Signal
  where Value == Int { .empty }

  @available(*, unavailable, message: "Write Signal<Int, Never>.timer(every: interval, on: scheduler)")
  public static func interval(_ period: Duration, scheduler: some SignalScheduler = .global) -> Signal
  where Value == Int, Failure == Never { .empty }

  @available(*, unavailable, message: "Write Signal<Void, Never>.timer(after: interval, on: scheduler)")
  public static func timer(_ dueTime: Duration, scheduler: some SignalScheduler) -> Signal where Value == Int { .empty }

  @available(*, unavailable, message: "Write Signal<Void, Never>.timer(after: interval, on: scheduler)")
  public static func timer(_ dueTime: Duration, scheduler: some SignalScheduler) -> Signal
  where Value == Int, Failure == Never { .empty }

  @available(*, unavailable, message: "Write .timer(every: interval, on: scheduler), which has no delay of its own")
  public static func timer(_ dueTime: Duration, period: Duration, scheduler: some SignalScheduler) -> Signal
  where Value == Int { .empty }

  @available(*, unavailable, message: "Write .from(start..<start + count)")
  public static func range(start: Int, count: Int) -> Signal where Value == Int { .empty }

  @available(*, unavailable, message: "Write Signal.zip(a, b).map { … }")
  public static func zip<A: Sendable, B: Sendable>(
    _ a: some SignalConvertible<A, Failure>, _ b: some SignalConvertible<B, Failure>,
    resultSelector: @escaping @Sendable (A, B) -> Value
  ) -> Signal { .empty }

  @available(*, unavailable, message: "Write Signal.combineLatest(a, b).map { … }")
  public static func combineLatest<A: Sendable, B: Sendable>(
    _ a: some SignalConvertible<A, Failure>, _ b: some SignalConvertible<B, Failure>,
    resultSelector: @escaping @Sendable (A, B) -> Value
  ) -> Signal { .empty }
}

/// The static members of `Observable`, `Single` and so on, whose failure is `any Error`, where a signal with another failure is expected.
extension Signal where Failure == any Error {
  @available(
    *, unavailable, message: "Write .just(value), in a closure with its type: Signal<Value, Failure>.just(value)"
  )
  public static func just<Problem: Error>(_ value: Value) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, renamed: "fail(_:)")
  public static func error<Problem: Error>(_ failure: Problem) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write .empty, a property")
  public static func empty<Problem: Error>(_ nothing: Void = ()) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write .never, a property")
  public static func never<Problem: Error>(_ nothing: Void = ()) -> Signal<Value, Problem> { .never }

  @available(*, unavailable, message: "Write .from([a, b])")
  public static func of<Problem: Error>(_ values: Value...) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write .from(values)")
  public static func from<Problem: Error>(_ values: some Sequence<Value>) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write .deferred { … }")
  public static func deferred<Problem: Error>(
    _ make: @escaping @Sendable () -> Signal<Value, Problem>
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write Signal { observer in … }")
  public static func create<Problem: Error>(
    _ start: @escaping @Sendable (Observer<Value, Problem>) -> Disposable?
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write Signal.merge(a, b) or Signal.merge([a, b])")
  public static func merge<Problem: Error>(
    _ first: Signal<Value, Problem>, _ others: Signal<Value, Problem>...
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write Signal.merge(a, b) or Signal.merge([a, b])")
  public static func merge<Problem: Error>(_ signals: [Signal<Value, Problem>]) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write a.concat(b) or Signal.concat([a, b])")
  public static func concat<Problem: Error>(
    _ first: Signal<Value, Problem>, _ others: Signal<Value, Problem>...
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write a.concat(b) or Signal.concat([a, b])")
  public static func concat<Problem: Error>(_ signals: [Signal<Value, Problem>]) -> Signal<Value, Problem> { .empty }

  // The last parameter takes a trailing closure, so that the one of `a.zip(b) { … }` is not read as a signal.
  @available(*, unavailable, message: "Write Signal.zip(a, b)")
  public static func zip<A: Sendable, B: Sendable, Problem: Error>(
    _ a: Signal<A, Problem>, _ b: Signal<B, Problem>, _ noTrailingClosure: () -> Void = {}
  ) -> Signal<(A, B), Problem> where Value == (A, B) { .empty }

  @available(*, unavailable, message: "Write Signal.zip(a, b).map { … }")
  public static func zip<A: Sendable, B: Sendable, Problem: Error>(
    _ a: Signal<A, Problem>, _ b: Signal<B, Problem>, resultSelector: @escaping @Sendable (A, B) -> Value
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write Signal.combineLatest(a, b)")
  public static func combineLatest<A: Sendable, B: Sendable, Problem: Error>(
    _ a: Signal<A, Problem>, _ b: Signal<B, Problem>, _ noTrailingClosure: () -> Void = {}
  ) -> Signal<(A, B), Problem> where Value == (A, B) { .empty }

  @available(*, unavailable, message: "Write Signal.combineLatest(a, b).map { … }")
  public static func combineLatest<A: Sendable, B: Sendable, Problem: Error>(
    _ a: Signal<A, Problem>, _ b: Signal<B, Problem>, resultSelector: @escaping @Sendable (A, B) -> Value
  ) -> Signal<Value, Problem> { .empty }
}
