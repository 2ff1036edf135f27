import Foundation
import Heliograph
import Signals

/// The clock of a case: it stands still between the exchanges.
final class CaseClock: Sendable {
  /// The time at which every case starts: a Wednesday with a day of one digit.
  static let start = Date(timeIntervalSince1970: 1_772_600_767)

  private let time = Guarded(CaseClock.start)

  var now: Date { time.withLock { $0 } }

  func advance(by duration: Duration) {
    let seconds = TimeInterval(duration.components.seconds)
    time.withLock { $0 += seconds }
  }
}
