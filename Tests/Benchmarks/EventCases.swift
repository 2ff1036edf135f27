import Signals

/// A type of its own between two operators, as in an app: what is made elsewhere is not seen through by the optimizer.
typealias Numbers = Signal<Int, Never>

@inline(never)
func numbers(_ count: Int) -> Numbers { .from(0..<count) }

@inline(never)
func sentNumbers(_ count: Int) -> Numbers {
  Signal { observer in
    for value in 0..<count { observer.send(value) }
    observer.complete()
    return nil
  }
}

@inline(never)
func mapped(_ signal: Numbers) -> Numbers { signal.map { $0 &+ 1 } }

@inline(never)
func filtered(_ signal: Numbers) -> Numbers { signal.filter { $0 >= 0 } }

extension Numbers {
  /// Subscribes, and counts the values.
  @inline(never)
  @discardableResult
  func count(in tally: Tally) -> Disposable {
    subscribe { if case .value = $0 { tally.add() } }
  }
}

extension Case {
  /// A case of a signal that sends its events while it is subscribed to.
  static func values(
    _ name: String, target: Double? = nil, allocations: Double? = nil, count: Int = 10_000,
    _ make: @escaping (Int) -> Numbers
  ) -> Case {
    Case(name: name, target: target, allocationTarget: allocations, operations: count) {
      let signal = make(count)
      let tally = Tally()
      return {
        signal.count(in: tally)
        return tally.take()
      }
    }
  }

  /// Events on their way through stages that only compute.
  static func events() -> [Case] {
    [
      .values("event through map x3 and filter", target: 1.8, allocations: 0) {
        filtered(mapped(mapped(mapped(numbers($0)))))
      },
      .values("event through map x3 and filter, sent by an observer") {
        filtered(mapped(mapped(mapped(sentNumbers($0)))))
      },
      Case(name: "event through map x3 and filter to onValue:", operations: 10_000) {
        let signal = filtered(mapped(mapped(mapped(numbers(10_000)))))
        let tally = Tally()
        return {
          signal.subscribe(onValue: { _ in tally.add() })
          return tally.take()
        }
      },
      Case(name: "PublishSubject.send to 1 subscriber", operations: 10_000) {
        let subject = PublishSubject<Int, Never>()
        let tally = Tally()
        let handle = subject.signal.count(in: tally)
        return {
          for value in 0..<10_000 { subject.send(value) }
          blackHole(handle)
          return tally.take()
        }
      },
    ]
  }
}
