import Signals

@inline(never)
private func storedJust() -> Numbers { mapped(.just(1)) }

@inline(never)
private func workWithTeardown() -> Numbers {
  Signal { _ in Disposable {} }
}

@inline(never)
private func answer(_ value: Int) -> Numbers {
  Signal { observer in
    observer.complete(with: value)
    return nil
  }
}

extension Case {
  /// What it costs to start and to stop.
  static func subscriptions() -> [Case] {
    [
      Case(
        name: "subscribe to a stored just.map, to completion", target: 7.5, allocationTarget: 2, operations: 1_000
      ) {
        let signal = storedJust()
        let tally = Tally()
        return {
          for _ in 0..<1_000 { signal.count(in: tally) }
          return tally.take()
        }
      },
      Case(
        name: "create with a teardown, subscribe, dispose", target: 18, allocationTarget: 4, operations: 1_000
      ) {
        let tally = Tally()
        return {
          for _ in 0..<1_000 {
            let handle = workWithTeardown().count(in: tally)
            handle.dispose()
            if handle.isDisposed { tally.add() }
          }
          return tally.take()
        }
      },
      Case(name: "like a request: create, map, flatMap, subscribe", operations: 100) {
        let tally = Tally()
        return {
          for value in 0..<100 { flatMapped(mapped(answer(value))) { answer($0) }.count(in: tally) }
          return tally.take()
        }
      },
    ]
  }
}
