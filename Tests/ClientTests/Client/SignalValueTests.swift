import Heliograph
import TestSupport
import Testing

/// `value()` of a signal throws nothing but a `NetworkError`.
struct SignalValueTests {
  private func failure(_ signal: Signal<Int, NetworkError>) async -> NetworkError? {
    do throws(NetworkError) {
      _ = try await signal.value()
      return nil
    } catch {
      return error
    }
  }

  @Test func itThrowsTheFailureTheMissingValueAndTheCancellation() async {
    await expectNil(failure(.just(1)))
    await expectEqual(failure(.fail(NetworkError(.status(503))))?.code, .status(503))
    await expectEqual(failure(.empty)?.code, .noValue)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure(.never)
    }
    await expectEqual(task.value?.code, .cancelled)
  }
}
