import Heliograph
import Synchronization

/// The retries of a download, which are counted anew whenever more of the file has arrived.
final class DownloadRetries: Sendable {
  private struct State {
    var byteCount = 0
    var failureCount = 0
  }

  private let limit: Int
  private let file: DestinationFile
  private let state = Mutex(State())

  /// Creates the rules.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of retries in a row without progress.
  ///   - file: the file, whose part shows the progress.
  init(limit: Int, of file: DestinationFile) {
    (self.limit, self.file) = (limit, file)
  }

  /// The rules for a client.
  var rules: Retry {
    // The closure has its own limit.
    Retry(limit: limit > 0 ? .max / 2 : 0) { [self] error, _ in decide(error) }
  }

  private func decide(_ error: NetworkError) -> Retry.Decision {
    let byteCount = file.partByteCount ?? 0
    let (failureCount, hasGrown) = state.withLock { state in
      let hasGrown = byteCount > state.byteCount
      state = State(byteCount: byteCount, failureCount: hasGrown ? 1 : state.failureCount + 1)
      return (state.failureCount, hasGrown)
    }
    if failureCount > limit { return .doNotRetry }
    let isTransient = Retry.defaultCodes.contains(error.code)
    return hasGrown && isTransient ? .retry(after: .milliseconds(500)) : .default
  }
}
