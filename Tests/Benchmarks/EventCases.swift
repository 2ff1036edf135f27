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

  /// Events on their way through stages that join several signals.
  static func joins() -> [Case] {
    [
      Case(name: "zip of two, per pair", operations: 10_000) {
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
      Case(name: "combineLatest of two, per event", operations: 10_000) {
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
      Case(name: "combineLatest of six, per event", operations: 6_000) {
        let (tally, values) = (Tally(), (0..<6).map { _ in CurrentValue(0) })
        let handle = Signal.combineLatest(
          values[0].signal, values[1].signal, values[2].signal, values[3].signal, values[4].signal, values[5].signal
        ).map { a, b, c, d, e, f in a &+ b &+ c &+ d &+ e &+ f }.count(in: tally)
        _ = tally.take()
        return {
          for value in 0..<1_000 { for input in values { input.send(value) } }
          blackHole(handle)
          return tally.take()
        }
      },
      Case(name: "zip of six, per tuple", operations: 1_000) {
        let (tally, values) = (Tally(), (0..<6).map { _ in PublishSubject<Int, Never>() })
        let handle = Signal.zip(
          values[0].signal, values[1].signal, values[2].signal, values[3].signal, values[4].signal, values[5].signal
        ).map { a, b, c, d, e, f in a &+ b &+ c &+ d &+ e &+ f }.count(in: tally)
        return {
          for value in 0..<1_000 { for input in values { input.send(value) } }
          blackHole(handle)
          return tally.take()
        }
      },
      Case(name: "subscribe to combineLatest of three just, to completion", operations: 1_000) {
        let tally = Tally()
        let signal = Signal.combineLatest(mapped(.just(1)), mapped(.just(2)), mapped(.just(3))).map { $0 &+ $1 &+ $2 }
        return {
          for _ in 0..<1_000 { signal.count(in: tally) }
          return tally.take()
        }
      },
      Case(name: "subscribe to zip of two just, to completion", operations: 1_000) {
        let tally = Tally()
        let signal = mapped(.just(1)).zip(mapped(.just(2))).map { $0 &+ $1 }
        return {
          for _ in 0..<1_000 { signal.count(in: tally) }
          return tally.take()
        }
      },
    ]
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
