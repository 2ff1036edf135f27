import Foundation
public import Signals

/// The result of a request whose response may have no value.
///
/// The signals of ``NetworkClient/enqueue(request:resultType:)-(RequestConvertible,_)`` complete without a value
/// after a 304 and for an empty list. An outcome has a separate case for each.
///
/// A response without a value has a source and flags, too: that of the second step of ``CachePolicy/cacheThenNetwork`` is
/// ``Response/isUnchanged`` if its body equals the stored one. Its metrics omit failed attempts before it.
public enum Outcome<Value: Sendable>: Sendable {
  /// A decoded value; one for each element if the response is an array and `Value` is not.
  case value(Response<Value>)
  /// The second value of ``CachePolicy/cacheThenNetwork``, with the same body as the first.
  case unchanged(Response<Value>)
  /// An empty array of elements.
  case emptyList(Response<NoContent>)
  /// A successful response without a body, such as a 204, if the type has no value for an empty body.
  case noContent(Response<NoContent>)
  /// A 304 to a request that was itself conditional.
  case notModified(Response<NoContent>)
}

extension Outcome: Equatable where Value: Equatable {}

extension NetworkClient {
  /// Sends a request and delivers its outcomes, even without a value.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode. If the type has a value for an empty body, as `Data`, ``NoContent`` and, without an
  ///     envelope, `String` do, that value is delivered instead of ``Outcome/noContent(_:)``.
  /// - Returns: The signal, which delivers at least one outcome on ``Configuration/processing``, or fails.
  public func outcomes<Output: Decodable & Sendable>(
    of request: some RequestConvertible, as type: Output.Type
  ) -> Signal<Outcome<Output>, NetworkError> {
    outcomes(request, type)
  }

  /// Sends a request, which may be a string literal, and delivers its outcomes, even without a value.
  ///
  /// The parameters are those of ``outcomes(of:as:)-(RequestConvertible,_)``.
  public func outcomes<Output: Decodable & Sendable>(
    of request: Request, as type: Output.Type
  ) -> Signal<Outcome<Output>, NetworkError> {
    outcomes(request, type)
  }

  private func outcomes<Output: Decodable & Sendable>(
    _ request: any RequestConvertible, _ type: Output.Type
  ) -> Signal<Outcome<Output>, NetworkError> {
    let signal = Signal<Outcome<Output>, NetworkError> { [scope] observer in
      let outcomes = OutcomeConverter(observer)
      let source = scope.interpret(request, id: .next(), onReading: { outcomes.follow($0) }) {
        response, reader, values in
        // In an envelope a text is the payload.
        let isBody = type is Data.Type || reader.wrapper == nil && type is any WholeBodyResult.Type
        guard response.value.isEmpty, !isBody, !(type is any EmptyBodyDecodable.Type) else {
          return reader.read(type, from: response, into: values)
        }
        do throws(NetworkError) {
          try reader.accept(response)
          values.complete()
        } catch {
          values.fail(reader.failure(error, response))
        }
      }
      return source.signal.subscribe(for: observer) { event in
        // The fence checks values only, and an outcome may be delivered instead of one.
        if case .completed = event, let failure = outcomes.staleFailure {
          return observer.fail(scope.withAppMessage(failure, for: request))
        }
        outcomes.receive(event)
      }
    }
    return signal.named(after: request)
  }

  /// Removes the stored responses to a method and URL, whatever their query, body and account.
  ///
  /// Blocks until their files are removed, see ``ResponseCache``.
  /// - Parameter request: A request with the method and URL.
  /// - Throws: A `client` error if the request cannot be built.
  public func removeCachedResponses(of request: some RequestConvertible) throws(NetworkError) {
    configuration.cache.removeAll(of: try httpRequest(for: request))
  }

  /// Removes the stored responses to a method and URL, which may be a string literal.
  ///
  /// See ``removeCachedResponses(of:)-(RequestConvertible)``.
  public func removeCachedResponses(of request: Request) throws(NetworkError) {
    configuration.cache.removeAll(of: try httpRequest(for: request))
  }
}

/// Converts the responses of one subscription to outcomes.
private final class OutcomeConverter<Value: Sendable>: Sendable {
  private let observer: Observer<Outcome<Value>, NetworkError>
  /// The response in progress, until it has delivered a value.
  private let pending = Guarded<Response<Data>?>(nil)

  init(_ observer: Observer<Outcome<Value>, NetworkError>) { self.observer = observer }

  /// The failure of an outcome that belongs to a former account or environment.
  var staleFailure: NetworkError? { pending.withLock { $0 }?.staleFailure }

  /// Follows the reading of a response.
  ///
  /// The outcome of a stored response without a value is delivered before the network answers. That of any other is
  /// delivered at the end of the request, when the response has been stored.
  func follow(_ step: ReadingStep) {
    switch step {
    case .began(let response): pending.set(response)
    case .value, .failed: pending.set(nil)
    case .completed:
      // After a change of the identity, the next step fails.
      if pending.withLock({ $0?.isPreliminary == true }), staleFailure == nil { end() }
    }
  }

  func receive(_ event: Event<Response<Data>, NetworkError>) {
    switch event {
    case .value(let response):
      guard let response = response.typed(as: Value.self) else { return }
      observer.send(response.isUnchanged ? .unchanged(response) : .value(response))
    case .failed(let error): observer.fail(error)
    case .completed:
      end()
      observer.complete()
    }
  }

  /// Delivers the outcome of a response that has ended without a value.
  private func end() {
    guard let response = pending.withLock({ $0.take() }) else { return }
    let empty = response.replacing(NoContent())
    if response.statusCode == 304 {
      observer.send(.notModified(empty))
    } else if response.value.isEmpty {
      observer.send(.noContent(empty))
    } else {
      observer.send(.emptyList(empty))
    }
  }
}
