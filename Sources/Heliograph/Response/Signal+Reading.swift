import Foundation
import Signals

extension Signal where Value == Response<Data>, Failure == NetworkError {
  /// What is read from the one response that this signal sends, read and delivered on a scheduler; a failure is, too.
  ///
  /// One stage for all of it, as every decoded request goes by here: `observe(on:)` and `flatMap` would cost it ten objects
  /// of types that have to be looked up each time.
  /// A response that waits for the scheduler is kept until its turn, also when nobody listens any more.
  /// - Parameters:
  ///   - scheduler: where to read and deliver.
  ///   - read: sends what the response holds, and ends.
  /// - Returns: the signal.
  func reading<Result: Sendable>(
    on scheduler: any SignalScheduler,
    _ read: @escaping @Sendable (Response<Data>, Observer<Response<Result>, NetworkError>) -> Void
  ) -> Signal<Response<Result>, NetworkError> {
    Signal<Response<Result>, NetworkError> { observer in
      subscribe(under: observer.pressure) { event in
        switch event {
        case .value(let response): scheduler.schedule { if !observer.isDisposed { read(response, observer) } }
        case .failed(let error): scheduler.schedule { observer.fail(error) }
        // It comes after the response, whose reading ends it all.
        case .completed: break
        }
      }
    }
  }
}
