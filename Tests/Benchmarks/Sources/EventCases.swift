import Signals

/// The same type between all operators, as in an app: the optimizer does not see through what is made elsewhere.
typealias Numbers = Signal<Int, Never>

/// Sends its values by an observer, as a user's work does.
@inline(never)
func numbers(_ count: Int) -> Numbers {
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
  func count(in tally: Tally) -> Disposable { subscribe(onValue: { _ in tally.add() }) }
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

  /// Events on their way through stages that only compute, and from a subject.
  static func events() -> [Case] {
    [
      .values("event through map x3 and filter", target: 1.8, allocations: 0) {
        filtered(mapped(mapped(mapped(numbers($0)))))
      },
      Case(name: "PublishSubject.send to 1 subscriber", allocationTarget: 0, operations: 10_000) {
        let subject = PublishSubject<Int, Never>()
        let tally = Tally()
        let handle = subject.signal.count(in: tally)
        return {
          for value in 0..<10_000 { subject.send(value) }
          blackHole(handle)
          return tally.take()
        }
      },
      Case(name: "zip of two, per pair", allocationTarget: 0, operations: 10_000) {
        let (tally, left, right) = (Tally(), PublishSubject<Int, Never>(), PublishSubject<Int, Never>())
        let handle = left.signal.zip(right.signal).map { $0 &+ $1 }.count(in: tally)
        return {
          for value in 0..<10_000 {
            left.send(value)
            right.send(value)
          }
          blackHole(handle)
          return tally.take()
        }
      },
      Case(name: "combineLatest of two, per event", allocationTarget: 2, operations: 10_000) {
        let (tally, left, right) = (Tally(), CurrentValue(0), CurrentValue(0))
        let handle = left.signal.combineLatest(right.signal).map { $0 &+ $1 }.count(in: tally)
        _ = tally.take()
        return {
          for value in 0..<5_000 {
            left.send(value)
            right.send(value)
          }
          blackHole(handle)
          return tally.take()
        }
      },
    ]
  }
}
