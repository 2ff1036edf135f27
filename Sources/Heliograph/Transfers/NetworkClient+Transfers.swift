public import Foundation
public import Signals

extension NetworkClient {
  /// Sends a request, reports its progress and decodes the response.
  ///
  /// Progress is delivered on the thread on which the transport reports it, before the response, and at most once per
  /// ``RequestOptions/progressInterval``. The response is delivered on ``Configuration/processing``, like those of
  /// ``enqueue(request:resultType:)-(RequestConvertible,_)``.
  /// - Parameters:
  ///   - request: The request to send.
  ///   - resultType: The type to decode.
  /// - Returns: The signal of the progress and the response. A 304 completes the signal without a response.
  public func upload<Result: Decodable & Sendable>(
    request: some RequestConvertible, resultType: Result.Type
  ) -> Signal<Transfer<Response<Result>>, NetworkError> {
    TransferSource(request, scope) { scope, watch in
      scope.interpret(request, watch: watch) { $1.read(resultType, from: $0, into: $2) }.signal
    }
    .results(as: resultType)
  }

  /// Sends a request, reports its progress and delivers the body as received, after validation.
  ///
  /// The body is in memory, so ``ResponseLimits/bodyByteCount`` applies. Progress is delivered on the thread on which
  /// the transport reports it, at most once per ``RequestOptions/progressInterval``.
  /// - Parameter request: The request to send.
  /// - Returns: The signal of the progress and the response. A 304 completes the signal without a response.
  public func download(request: some RequestConvertible) -> Signal<Transfer<Response<Data>>, NetworkError> {
    let source = TransferSource(request, scope) { scope, watch in
      scope.interpret(request, watch: watch) { response, reader, observer in
        do throws(NetworkError) {
          try reader.validate(response)
          observer.complete(with: response)
        } catch {
          observer.fail(reader.failure(error, response))
        }
      }
      .signal
    }
    return source.signal
  }

  /// Sends a request, which may be a string literal, reports its progress and delivers the body as received.
  ///
  /// See ``download(request:)-(RequestConvertible)``.
  /// - Parameter request: The request to send.
  /// - Returns: The signal of the progress and the response.
  public func download(request: Request) -> Signal<Transfer<Response<Data>>, NetworkError> {
    download(request: request.general)
  }
}

/// The source of a transfer's signal: the results of a request, and the progress of its exchange.
final class TransferSource: NamedSource {
  /// A closure that returns the results of the request in a scope and observes its exchange.
  typealias Start = @Sendable (ClientScope, @escaping RequestTraits.Watch) -> RequestRun.Results

  private let request: any RequestConvertible
  private let scope: ClientScope
  private let start: Start

  init(_ request: any RequestConvertible, _ scope: ClientScope, _ start: @escaping Start) {
    self.request = request
    self.scope = scope
    self.start = start
  }

  var name: String { request.signalName }

  var signal: Signal<Transfer<Response<Data>>, NetworkError> { Signal(self) }

  func results<Result: Sendable>(as type: Result.Type) -> Signal<Transfer<Response<Result>>, NetworkError> {
    Signal(TypedTransferSource<Result>(self))
  }

  func makeSignal() -> Signal<Transfer<Response<Data>>, NetworkError> {
    Signal { [self] observer in
      let gauge = TransferGauge(request, clock: scope.parts.configuration.scheduler) { observer.send(.progress($0)) }
      return start(scope, { gauge.record($0, of: $1) }).subscribe { event in
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

/// The source of a transfer whose result has a type.
private final class TypedTransferSource<Result: Sendable>: NamedSource {
  private let source: TransferSource

  init(_ source: TransferSource) { self.source = source }

  var name: String { source.name }

  func makeSignal() -> Signal<Transfer<Response<Result>>, NetworkError> {
    source.makeSignal().compactMap { event in
      switch event {
      case .progress(let progress): .progress(progress)
      case .finished(let response): response.typed(as: Result.self).map { .finished($0) }
      }
    }
  }
}
