// Sources with different failure types, unavailable as arguments of one static function: the message says what to write.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

extension SignalConvertible {
  @available(
    *, unavailable,
    message: "The failure types differ: write a.zip(b), or setFailureType(to:) where one is Never, else mapError"
  )
  public static func zip<each Input: SignalConvertible>(
    _ inputs: repeat each Input
  ) -> Signal<(repeat (each Input).Value), any Error> where Value == (repeat (each Input).Value), Failure == any Error {
    .empty
  }

  @available(
    *, unavailable,
    message: "The failure types differ: write a.zip(b), or setFailureType(to:) where one is Never, else mapError"
  )
  public static func zip<each Input: SignalConvertible>(
    _ inputs: repeat each Input
  ) -> Signal<(repeat (each Input).Value), Failure> where Value == (repeat (each Input).Value) { .empty }

  @available(*, unavailable, message: "Write a.zip(b): inside of an extension, Signal means the type that it extends")
  public static func zip<each Input: SignalConvertible>(
    _ inputs: repeat each Input
  ) -> Signal<(repeat (each Input).Value), Failure> { .empty }

  @available(
    *, unavailable,
    message:
      "The failure types differ: write a.combineLatest(b), or setFailureType(to:) where one is Never, else mapError"
  )
  public static func combineLatest<each Input: SignalConvertible>(
    _ inputs: repeat each Input
  ) -> Signal<(repeat (each Input).Value), any Error> where Value == (repeat (each Input).Value), Failure == any Error {
    .empty
  }

  @available(
    *, unavailable,
    message:
      "The failure types differ: write a.combineLatest(b), or setFailureType(to:) where one is Never, else mapError"
  )
  public static func combineLatest<each Input: SignalConvertible>(
    _ inputs: repeat each Input
  ) -> Signal<(repeat (each Input).Value), Failure> where Value == (repeat (each Input).Value) { .empty }

  @available(
    *, unavailable, message: "Write a.combineLatest(b): inside of an extension, Signal means the type that it extends"
  )
  public static func combineLatest<each Input: SignalConvertible>(
    _ inputs: repeat each Input
  ) -> Signal<(repeat (each Input).Value), Failure> { .empty }

  @available(
    *, unavailable, message: "The failure types differ: write a.merge(b), or setFailureType(to:) where one is Never"
  )
  public static func merge(
    _ first: any SignalConvertible<Value, Failure>, _ second: any SignalConvertible<Value, Never>
  ) -> Signal<Value, Failure> { .empty }

  @available(
    *, unavailable, message: "The failure types differ: write a.merge(b), or setFailureType(to:) where one is Never"
  )
  public static func merge(
    _ first: any SignalConvertible<Value, Never>, _ second: any SignalConvertible<Value, Failure>
  ) -> Signal<Value, Failure> { .empty }
}

extension Signal where Failure == Never {
  @available(*, unavailable, message: "State the failure: Signal<Value, Never>.just(value)")
  public static func just(_ value: Value) -> Signal { .empty }

  @available(*, unavailable, message: "State the failure: Signal<Value, Never>.from(values)")
  public static func from(_ sequence: some Sequence<Value> & Sendable) -> Signal { .empty }

  @available(
    *, unavailable, message: "Write Signal<Value, Never>.from([a, b]), or Signal.merge([a, b]) for two signals"
  )
  public static func of(_ values: Value...) -> Signal { .empty }
}
