import Foundation
import Signals

extension Signal where Value == Response<Data>, Failure == NetworkError {
  /// Returns a signal that reads this signal's response on a scheduler and delivers the results there.
  ///
  /// A failure is delivered there as well. A single stage does it, because every decoded request uses it: `observe(on:)`
  /// and `flatMap` would allocate ten objects. A response queued on the scheduler is
  /// retained until it runs, even if the subscription has been disposed.
  /// - Parameters:
  ///   - scheduler: The scheduler for reading and delivery.
  ///   - reader: The reader.
  ///   - note: Receives the response before it is read. Default: none.
  ///   - read: Sends the content of the response and terminates.
  /// - Returns: The signal.
  func reading(
    on scheduler: any SignalScheduler, by reader: ResponseReader,
    noting note: (@Sendable (Response<Data>) -> Void)? = nil, _ read: @escaping ResponseReader.Read
  ) -> Signal {
    Signal { observer in
      subscribe(under: observer.pressure) { event in
        switch event {
        case .value(let response):
          @Sendable func begin() {
            if observer.isDisposed { return }
            note?(response)
            if response.statusCode == 304 { return reader.endUnmodified(response, observer) }
            read(response, reader, observer)
          }
          if reader.decision?.isReadInPlace(byteCount: response.value.count) == true { return begin() }
          scheduler.schedule(begin)
        case .failed(let error): scheduler.schedule { observer.fail(error) }
        // The completion follows the response, whose reading terminates the signal.
        case .completed: break
        }
      }
    }
  }
}
