import Foundation
import Signals

extension Signal where Value == Response<Data>, Failure == NetworkError {
  /// Returns a signal that reads this signal's response on a scheduler and delivers the results there.
  ///
  /// A failure is delivered there as well. A single stage does it, because every decoded request uses it: `observe(on:)`
  /// and `flatMap` would allocate ten objects of types that need metadata look-ups. A response queued on the scheduler is
  /// retained until it runs, even if the subscription has been disposed.
  /// - Parameters:
  ///   - scheduler: the scheduler for reading and delivery.
  ///   - decision: knows of a response from the cache whether it is read where it is delivered. Default: none is.
  ///   - read: sends the content of the response and terminates.
  /// - Returns: the signal.
  func reading<Result: Sendable>(
    on scheduler: any SignalScheduler, _ decision: StoreDecision? = nil,
    _ read: @escaping @Sendable (Response<Data>, Observer<Response<Result>, NetworkError>) -> Void
  ) -> Signal<Response<Result>, NetworkError> {
    Signal<Response<Result>, NetworkError> { observer in
      subscribe(under: observer.pressure) { event in
        switch event {
        case .value(let response):
          if decision?.isReadInPlace(byteCount: response.value.count) == true { return read(response, observer) }
          scheduler.schedule { if !observer.isDisposed { read(response, observer) } }
        case .failed(let error): scheduler.schedule { observer.fail(error) }
        // It follows the response, whose reading terminates the signal.
        case .completed: break
        }
      }
    }
  }
}
