// `@Defaulted` without the source of its default, unavailable: the compiler's message says what to write.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

extension Defaulted {
  @available(*, unavailable, message: "Write @Defaulted<ZeroValue>")
  public init<Value>(_ value: Value) where Source == ZeroValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<ZeroValue>")
  public init<Value>(wrappedValue value: Value) where Source == ZeroValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<EmptyValue>")
  public init<Value>(_ value: Value) where Source == EmptyValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<EmptyValue>")
  public init<Value>(wrappedValue value: Value) where Source == EmptyValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<FalseValue> or @Defaulted<TrueValue>")
  public init(_ value: Bool) where Source == FalseValue { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<FalseValue> or @Defaulted<TrueValue>")
  public init(wrappedValue value: Bool) where Source == FalseValue { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<NilValue>")
  public init<Value>(_ value: Value?) where Source == NilValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<NilValue>")
  public init<Value>(wrappedValue value: Value?) where Source == NilValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<Kind>, with a Kind that conforms to DefaultValue")
  public init(wrappedValue value: Source) where Source.Value == Source { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<Kind>, with a Kind that conforms to DefaultValue")
  public init(_ value: Source) where Source.Value == Source { wrappedValue = value }
}
