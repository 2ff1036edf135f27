import Signals
import Synchronization

/// A source of the numbers from 0 that pauses whenever too much waits further on, as a transfer does.
package final class PausingSource: Sendable {
  package let count: Int
  private let next = Atomic<Int>(0)
  private let pauses = Atomic<Int>(0)
  private let resumptions = Atomic<Int>(0)
  private let teardowns = Atomic<Int>(0)

  package init(_ count: Int) {
    self.count = count
  }

  package var sentCount: Int { next.load(ordering: .acquiring) }
  package var pauseCount: Int { pauses.load(ordering: .acquiring) }
  package var resumptionCount: Int { resumptions.load(ordering: .acquiring) }
  package var teardownCount: Int { teardowns.load(ordering: .acquiring) }

  /// For one subscription.
  package var signal: Numbers {
    Signal { [self] observer in
      pump(observer)
      return Disposable { [self] in teardowns.add(1, ordering: .acquiringAndReleasing) }
    }
  }

  private func pump(_ observer: Observer<Int, Fault>) {
    while sentCount < count, !observer.isDisposed {
      observer.send(next.add(1, ordering: .acquiringAndReleasing).oldValue)
      guard let pressure = observer.pressure, pressure.isHigh else { continue }
      pauses.add(1, ordering: .acquiringAndReleasing)
      return pressure.whenLow { [self] in
        resumptions.add(1, ordering: .acquiringAndReleasing)
        pump(observer)
      }
    }
    observer.complete()
  }
}
