import Foundation
import Heliograph
import Signals

/// A source of a body that causes trouble; `mute` gives nothing at all, `silent` nothing after its first piece.
package enum TroubledSource: CaseIterable, Sendable {
  case mute, silent, slow, empty, tooLong, tooShort, failing

  /// Whether the source alone makes the request fail.
  package var isInvalid: Bool { [.tooLong, .tooShort, .failing].contains(self) }

  /// The body, whose first piece has ten bytes.
  package var stream: BodyStream {
    BodyStream(byteCount: self == .tooLong || self == .tooShort ? 20 : nil) { [self] in
      let count = Guarded(0)
      return {
        let number = count.withLock { count in
          count += 1
          return count
        }
        return number == 1 && self != .mute ? .just(Data(count: 10)) : piece(number)
      }
    }
  }

  private func piece(_ number: Int) -> Signal<Data, any Error> {
    switch self {
    case .mute, .silent: .never
    case .slow: Signal<Void, any Error>.timer(after: .milliseconds(10), on: .global).map { Data(count: 10) }
    case .empty: Signal<Void, any Error>.timer(after: .milliseconds(1), on: .global).map { Data() }
    case .tooLong: number > 3 ? .empty : .just(Data(count: 10))
    case .tooShort: .empty
    case .failing: .fail(Broken())
    }
  }

  private struct Broken: Error {}
}
