import Signals

@inline(never)
private func storedJust() -> Numbers { mapped(.just(1)) }

@inline(never)
private func workWithTeardown() -> Numbers {
  Signal { _ in Disposable {} }
}

extension Case {
  /// What it costs to start and to stop.
  static func subscriptions() -> [Case] {
    [
      Case(
        name: "subscribe to a stored just.map, to completion", target: 7.5, allocationTarget: 1, operations: 1_000
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
    ]
  }
}
