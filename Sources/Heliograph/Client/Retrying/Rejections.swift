import Foundation
import Signals
import Synchronization

/// Calls ``NetworkClient/Configuration/onUnauthorized``, once for all requests that began before it returned.
final class Rejections: Sendable {
  /// Incremented before and after each call, so odd during one.
  private let count = Atomic(0)
  private let handler: @Sendable (NetworkError) -> Void

  init(_ handler: @escaping @Sendable (NetworkError) -> Void) { self.handler = handler }

  /// Returns a request's signal; the handler is called after a rejection has been delivered.
  func watching(
    _ signal: Signal<Response<Data>, NetworkError>, if isOwn: @escaping @Sendable (NetworkError) -> Bool,
    unless isReplaced: @escaping @Sendable () -> Bool
  ) -> Signal<Response<Data>, NetworkError> {
    let start = count.load(ordering: .acquiring)
    return signal.followingFailure { [self] error in
      // Asked before the delivery, in which the app may sign out itself.
      if !error.isRejection || !isOwn(error) { return nil }
      // Asked after the delivery, in which the app may sign in another account.
      return { [self] in RejectionReports.add { [self] in if !isReplaced() { report(error, since: start) } } }
    }
  }

  private func report(_ error: NetworkError, since start: Int) {
    guard start.isMultiple(of: 2),
      count.compareExchange(expected: start, desired: start + 1, ordering: .acquiringAndReleasing).exchanged
    else { return }
    handler(error)
    count.add(1, ordering: .acquiringAndReleasing)
  }
}

/// The reports of rejected credentials while a failed refresh fails the requests that waited for it; they are made once
/// all of them have failed: a handler that signs out would fail the others with `contextChanged`.
final class RejectionReports: Sendable {
  typealias Report = @Sendable () -> Void

  @TaskLocal private static var current: RejectionReports?
  /// The reports to make; `nil` once they are being made.
  private let reports = Guarded<[Report]?>([])

  /// Makes a report: after the delivery that the caller runs in, or now.
  static func add(_ report: @escaping Report) {
    if current?.reports.withLock({ $0?.append(report) }) == nil { report() }
  }

  /// Runs a delivery to several requests and then makes their reports.
  static func afterDelivery(_ deliver: () -> Void) {
    let new = RejectionReports()
    // Tasks that are created during the delivery inherit the value, and may outlive it.
    $current.withValue(new, operation: deliver)
    for report in new.reports.withLock({ $0.take() }) ?? [] { add(report) }
  }
}

extension NetworkError {
  /// Whether the status or the code is 401; a refresh may throw that code, such as for lack of a refresh token.
  fileprivate var isRejection: Bool { statusCode == 401 || code == .status(401) }
}
