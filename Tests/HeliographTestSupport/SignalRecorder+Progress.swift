import Heliograph
import HeliographTesting

extension SignalRecorder {
  /// The progress in a direction.
  package func progress<Result>(_ direction: TransferProgress.Direction) -> [TransferProgress]
  where Value == Transfer<Result> {
    values.compactMap(\.progress).filter { $0.direction == direction }
  }
}
