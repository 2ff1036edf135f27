import Foundation
import Signals

extension Core {
  /// Returns the signal of a request whose successful body is read in pieces, on the transport's thread.
  ///
  /// The first piece is empty and comes with the validated head; the last one is empty and has the metrics. Any other
  /// response is collected and validated: if a validator accepts it, its body is one piece. A 304 to a conditional request
  /// completes the signal. A failure after the first result is not retried.
  /// - Parameters:
  ///   - request: the request.
  ///   - watch: observes the transport events. Default: none.
  ///   - read: reads the pieces of an attempt.
  /// - Returns: the results.
  func streamed<Result: Sendable>(
    _ request: any RequestConvertible, watch: Watch? = nil,
    _ read:
      @escaping @Sendable (Signal<Response<Data>, NetworkError>, HTTPRequest) ->
      Signal<Response<Result>, NetworkError>
  ) -> Signal<Response<Result>, NetworkError> {
    begin(request, isStreamed: true, watch: watch) { [configuration] pieces, request, resolved in
      read(pieces.validated(by: configuration.reader(for: resolved, request)), request)
    }
  }
}

extension Signal where Value == Response<Data>, Failure == NetworkError {
  /// Returns the pieces of a response that has been validated by its head, or by its whole body if it is no success.
  func validated(by reader: ResponseReader) -> Signal {
    Signal { observer in
      let isOpen = Guarded(false)
      return subscribe(under: observer.pressure) { event in
        guard case .value(let response) = event, !isOpen.withLock({ $0 }) else { return observer.send(event) }
        if response.statusCode == 304 {
          return response.isUnasked ? observer.fail(reader.unaskedFailure(response)) : observer.complete()
        }
        do throws(NetworkError) {
          try reader.validate(response)
        } catch {
          return observer.fail(reader.failure(error, response))
        }
        isOpen.withLock { $0 = true }
        observer.send(event)
      }
    }
  }
}
