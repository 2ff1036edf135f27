import Signals

@inline(never)
private func flatMapped(
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
  static func flattenings() -> [Case] {
    let strategies: [(String, FlattenStrategy)] = [("merge", .merge), ("concat", .concat), ("latest", .latest)]
    return strategies.map { name, strategy in
      .values("flatMap, per inner that is a just: \(name)", target: 2.5, allocations: 0) {
        flatMappedToJust(numbers($0), strategy)
      }
    }
      + strategies.map { name, strategy in
        .values("flatMap, per real inner subscription: \(name)", target: 24, allocations: 3) {
          flatMapped(numbers($0), strategy) { work($0) }
        }
      }
      + [
        .values("concat of 10,000 one-value signals, per element: array", target: 1.5, allocations: 0) {
          .concat((0..<$0).map { just($0) })
        },
        .values("concat of 10,000 one-value signals, per element: left-nested", target: 1.5, allocations: 0) {
          nested($0, just)
        },
      ]
  }
}
