import Dispatch
import Foundation
import Signals

/// Sends from a thread of its own.
@inline(never)
private func background(_ count: Int) -> Numbers {
  Signal { observer in
    Thread.detachNewThread {
      for value in 0..<count { observer.send(value) }
      observer.complete()
    }
    return nil
  }
}

/// A source whose observer is kept, to send through it later.
private final class Tap: Sendable {
  // Written by the subscription, which is made before anything is sent.
  private nonisolated(unsafe) var observer: Observer<Int, Never>?

  @inline(never)
  func signal() -> Numbers {
    Signal { observer in
      self.observer = observer
      return nil
    }
  }

  @inline(never)
  func send(_ count: Int) {
    guard let observer else { return }
    for value in 0..<count { observer.send(value) }
  }
}

extension Numbers {
  /// Subscribes, and returns when it has completed.
  func wait(adding tally: Tally, _ amount: @escaping @Sendable (Int) -> Int = { $0 }) {
    let done = DispatchSemaphore(value: 0)
    let handle = subscribe { event in
      if case .value(let value) = event { tally.add(amount(value)) } else { done.signal() }
    }
    done.wait()
    blackHole(handle)
  }
}

extension Case {
  /// One to many, and from thread to thread.
  static func deliveries(_ options: Options) -> [Case] {
    let backgroundCount = options.isBrief ? 50_000 : 500_000
    return [
      Case(
        name: "background producer to observe(on: serial), per event", target: 8, allocationTarget: 0.1, clock: .wall,
        operations: backgroundCount
      ) {
        let signal = background(backgroundCount).observe(on: .serial("benchmark"))
        let tally = Tally()
        return {
          signal.wait(adding: tally) { _ in 1 }
          return tally.take()
        }
      },
      Case(name: "share to 100 subscribers, per delivery", target: 2.5, allocationTarget: 0, operations: 100_000) {
        let tap = Tap()
        let shared = tap.signal().share()
        let tally = Tally()
        let handles = (0..<100).map { _ in shared.count(in: tally) }
        return {
          tap.send(1_000)
          blackHole(handles)
          return tally.take()
        }
      },
    ]
  }
}
