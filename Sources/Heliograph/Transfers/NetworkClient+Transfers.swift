public import Foundation
public import Signals

extension NetworkClient {
  /// Sends a request, reports its progress and decodes the response.
  ///
  /// Progress is delivered on the thread on which the transport reports it, before the response, and at most once in
  /// ``RequestOptions/progressInterval``. The response is delivered on ``Configuration/processing``, like those of
  /// ``enqueue(request:resultType:)-(RequestConvertible,_)``.
  /// - Parameters:
  ///   - request: The request.
  ///   - resultType: The type to decode.
  /// - Returns: The signal. A 304 completes it without a response.
  public func upload<Result: Decodable & Sendable>(
    request: some RequestConvertible, resultType: Result.Type
  ) -> Signal<Transfer<Response<Result>>, NetworkError> {
    transfer(request) { [scope] watch in
      scope.interpret(request, watch: watch) { $1.read(resultType, from: $0, into: $2) }
    }
  }

  /// Sends a request, reports its progress and delivers the body as received, after validation.
  ///
  /// The body is in memory, so ``ResponseLimits/bodyByteCount`` applies. Progress is delivered on the thread on which the
  /// transport reports it, at most once in ``RequestOptions/progressInterval``.
  /// - Parameter request: The request.
  /// - Returns: The signal. A 304 completes it without a response.
  public func download(request: some RequestConvertible) -> Signal<Transfer<Response<Data>>, NetworkError> {
    transfer(request) { [scope] watch in
      scope.interpret(request, watch: watch) { response, reader, observer in
        do throws(NetworkError) {
          try reader.validate(response)
          observer.complete(with: response)
        } catch {
          observer.fail(reader.failure(error, response))
        }
      }
    }
  }

  /// Sends a request, which may be a text literal, reports its progress and delivers the body as received.
  ///
  /// See ``download(request:)-(RequestConvertible)``.
  /// - Parameter request: The request.
  /// - Returns: The signal.
  public func download(request: Request) -> Signal<Transfer<Response<Data>>, NetworkError> {
    download(request: request.general)
  }

  /// Returns the signal combined with the progress of its exchange.
  func transfer<Value: Sendable>(
    _ request: any RequestConvertible,
    _ start: @escaping @Sendable (@escaping RequestTraits.Watch) -> Signal<Value, NetworkError>
  ) -> Signal<Transfer<Value>, NetworkError> {
    Signal(TransferSource(request: request, clock: scope.parts.configuration.scheduler, start: start))
  }
}

/// The source of a transfer's signal.
private final class TransferSource<Result: Sendable>: NamedSource {
  private let request: any RequestConvertible
  private let clock: any SignalScheduler
  private let start: @Sendable (@escaping RequestTraits.Watch) -> Signal<Result, NetworkError>

  init(
    request: any RequestConvertible, clock: any SignalScheduler,
    start: @escaping @Sendable (@escaping RequestTraits.Watch) -> Signal<Result, NetworkError>
  ) {
    self.request = request
    self.clock = clock
    self.start = start
  }

  var name: String { request.signalName }

  func makeSignal() -> Signal<Transfer<Result>, NetworkError> {
    Signal { [request, clock, start] observer in
      let gauge = TransferGauge(request, clock: clock) { observer.send(.progress($0)) }
      return start({ gauge.take($0, of: $1) }).subscribe { event in
        switch event {
        case .value(let value):
          gauge.finish()
          observer.send(.finished(value))
        case .failed(let error): observer.fail(error)
        case .completed: observer.complete()
        }
      }
    }
  }
}
