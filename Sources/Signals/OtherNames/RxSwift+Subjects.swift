// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

extension CurrentValue {
  @available(*, unavailable, renamed: "signal")
  public func asSignal() -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.filter { … }")
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.compactMap { … }")
  public func compactMap<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output?)
    -> Signal<Output, Never>
  { .empty }

  @available(*, unavailable, message: "Write signal.distinctUntilChanged()")
  public func distinctUntilChanged() -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.skip(count)")
  public func skip(_ count: Int) -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.take(count)")
  public func take(_ count: Int) -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.debounce(interval, on: scheduler)")
  public func debounce(_ interval: Duration, on scheduler: some SignalScheduler = .global)
    -> Signal<Value, Never>
  { signal }

  @available(*, unavailable, message: "Write signal.observe(on: scheduler)")
  public func observe(on scheduler: some SignalScheduler) -> Signal<Value, Never> { signal }
}

extension Property {
  @available(*, unavailable, renamed: "signal")
  public func asSignal() -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.filter { … }")
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.compactMap { … }")
  public func compactMap<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output?)
    -> Signal<Output, Never>
  { .empty }

  @available(*, unavailable, message: "Write signal.distinctUntilChanged()")
  public func distinctUntilChanged() -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.skip(count)")
  public func skip(_ count: Int) -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.take(count)")
  public func take(_ count: Int) -> Signal<Value, Never> { signal }

  @available(*, unavailable, message: "Write signal.debounce(interval, on: scheduler)")
  public func debounce(_ interval: Duration, on scheduler: some SignalScheduler = .global)
    -> Signal<Value, Never>
  { signal }

  @available(*, unavailable, message: "Write signal.observe(on: scheduler)")
  public func observe(on scheduler: some SignalScheduler) -> Signal<Value, Never> { signal }
}

extension PublishSubject {
  @available(*, unavailable, renamed: "signal")
  public func asSignal() -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.filter { … }")
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.compactMap { … }")
  public func compactMap<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output?)
    -> Signal<Output, Failure>
  { .empty }

  @available(*, unavailable, message: "Write signal.distinctUntilChanged()")
  public func distinctUntilChanged() -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.skip(count)")
  public func skip(_ count: Int) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.take(count)")
  public func take(_ count: Int) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.debounce(interval, on: scheduler)")
  public func debounce(_ interval: Duration, on scheduler: some SignalScheduler = .global)
    -> Signal<Value, Failure>
  { signal }

  @available(*, unavailable, message: "Write signal.observe(on: scheduler)")
  public func observe(on scheduler: some SignalScheduler) -> Signal<Value, Failure> { signal }
}
