public import Foundation
public import Signals

extension NetworkClient {
  /// Sends a request, reports its progress and decodes the response.
  ///
  /// Progress is delivered on the thread on which the transport reports it (do not block it), before the response, and
  /// at most once per ``RequestOptions/progressInterval``; a count that is reported only at the end comes on the thread
  /// of the response or the failure. The response is delivered on ``Configuration/processing``, like those of
  /// ``enqueue(request:resultType:)-(RequestConvertible,_)``.
  /// - Parameters:
  ///   - request: The request to send.
  ///   - resultType: The type to decode.
  /// - Returns: The signal of the progress and the response. A 304 to a conditional request completes the signal
  ///   without a response.
  public func upload<Result: Decodable & Sendable>(
    request: some RequestConvertible, resultType: Result.Type
  ) -> Signal<Transfer<Response<Result>>, NetworkError> {
    scope.transfer(of: request) { scope, watch in
      scope.interpret(request, watch: watch) { $1.read(resultType, from: $0, into: $2) }.signal
    }
    .typed(as: resultType).named(after: request)
  }

  /// Sends a request, reports its progress and delivers the body as received, after validation.
  ///
  /// Status and validators are checked, but the envelope of a success is not opened: a failure reported in it is
  /// delivered as the body, and recoveries by its code do not apply. The body is in memory, so
  /// ``ResponseLimits/bodyByteCount`` applies. Progress is delivered on the thread on which the transport reports it:
  /// do not block it. It comes at most once per ``RequestOptions/progressInterval``; a count that is reported only at
  /// the end comes on the thread of the response or the failure.
  /// - Parameter request: The request to send.
  /// - Returns: The signal of the progress and the response. A 304 to a conditional request completes the signal
  ///   without a response.
  public func download(request: some RequestConvertible) -> Signal<Transfer<Response<Data>>, NetworkError> {
    scope.transfer(of: request) { scope, watch in
      scope.interpret(request, watch: watch) { response, reader, observer in
        var reader = reader
        reader.deliversBody = true
        do throws(NetworkError) {
          try reader.validate(response)
          reader.withholdFailure(response)
          observer.complete(with: response)
        } catch {
          observer.fail(reader.failure(error, response))
        }
      }
      .signal
    }
    .named(after: request)
  }

  /// Sends a request, which may be a string literal, reports its progress and delivers the body as received.
  ///
  /// See ``download(request:)-(RequestConvertible)``.
  public func download(request: Request) -> Signal<Transfer<Response<Data>>, NetworkError> {
    download(request: request.general)
  }
}

extension ClientScope {
  typealias TransferResults = Signal<Transfer<Response<Data>>, NetworkError>

  /// Returns the signal of a transfer: the results of a request, and the progress of its exchange; `start` returns the
  /// results of the request in this scope and observes its exchange.
  func transfer(
    of request: any RequestConvertible,
    _ start: @escaping @Sendable (ClientScope, @escaping RequestTraits.Watch) -> RequestRun.Results
  ) -> TransferResults {
    Signal { [self] observer in
      let gauge = TransferGauge(request, clock: parts.configuration.scheduler) { observer.send(.progress($0)) }
      return start(self) { gauge.record($0, of: $1) }.subscribe(for: observer) { event in
        switch event {
        case .value(let value):
          gauge.finish()
          observer.send(.finished(value))
        case .failed(let error):
          gauge.fail()
          observer.fail(error)
        case .completed: observer.complete()
        }
      }
    }
  }
}

extension Signal where Value == Transfer<Response<Data>>, Failure == NetworkError {
  /// Returns the transfer, typed by the values that the reader of its responses decodes.
  func typed<Result: Sendable>(as type: Result.Type) -> Signal<Transfer<Response<Result>>, NetworkError> {
    compactMap { event in
      switch event {
      case .progress(let progress): .progress(progress)
      case .finished(let response): response.typed(as: Result.self).map { .finished($0) }
      }
    }
  }
}
