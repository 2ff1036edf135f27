import Signals

@inline(never)
func flatMapped(
  _ signal: Numbers, _ strategy: FlattenStrategy = .merge, _ transform: @escaping @Sendable (Int) -> Numbers
) -> Numbers {
  signal.flatMap(strategy) { transform($0) }
}

@inline(never)
private func flatMappedToJust(_ signal: Numbers, _ strategy: FlattenStrategy) -> Numbers {
  signal.flatMap(strategy) { .just($0) }
}

/// A value and a completion.
@inline(never)
private func work(_ value: Int) -> Numbers {
  Signal { observer in
    observer.send(value)
    observer.complete()
    return nil
  }
}

/// A last value.
@inline(never)
func finalWork(_ value: Int) -> Numbers {
  Signal { observer in
    observer.complete(with: value)
    return nil
  }
}

@inline(never)
private func just(_ value: Int) -> Numbers { .just(value) }

@inline(never)
private func nested(_ count: Int, _ make: (Int) -> Numbers) -> Numbers {
  var result = make(0)
  for value in 1..<count { result = result.concat(make(value)) }
  return result
}

extension Case {
  /// Signals of signals, and signals one after another.
  static func flattenings() -> [Case] { flatMaps() + concats() }

  private static func flatMaps() -> [Case] {
    let strategies: [(String, FlattenStrategy)] = [("merge", .merge), ("concat", .concat), ("latest", .latest)]
    return strategies.prefix(2).map { name, strategy in
      .values("flatMap, per inner that is a just: \(name)", target: 2.5, allocations: 0) {
        flatMappedToJust(numbers($0), strategy)
      }
    }
      + strategies.map { name, strategy in
        .values("flatMap, per real inner subscription: \(name)", target: 24) {
          flatMapped(numbers($0), strategy) { work($0) }
        }
      }
      + strategies.map { name, strategy in
        .values("flatMap, per real inner with a fused last value: \(name)") {
          flatMapped(numbers($0), strategy) { finalWork($0) }
        }
      }
  }

  private static func concats() -> [Case] {
    [
      .values("concat of 10,000 one-value signals, per element: array", target: 1.5) {
        .concat((0..<$0).map { just($0) })
      },
      .values("concat of 10,000 one-value signals, per element: left-nested", target: 1.5) { nested($0, just) },
      .values("concat of 10,000 created signals, per element: array") { .concat((0..<$0).map { work($0) }) },
      Case(name: "concat of 10,000 one-value signals: left-nested, built as well", operations: 10_000) {
        let tally = Tally()
        return {
          nested(10_000, just).count(in: tally)
          return tally.take()
        }
      },
    ]
  }
}
