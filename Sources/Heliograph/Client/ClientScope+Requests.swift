import Foundation
import Signals

/// A step of reading one response of a request.
enum ReadingStep: Sendable {
  /// A response is about to be validated and read.
  case began(Response<Data>)
  /// A value was read.
  case value
  /// The response was read to its end.
  case completed
  /// The response was rejected or could not be read.
  case failed
}

extension ClientScope {
  /// Returns the signal of a request whose response is validated and read.
  ///
  /// A 304 to a conditional request completes it, unless one value is expected and `allowsNotModified` is `false`.
  /// `onReading` receives the steps of reading each response; with an `id`, only of the request's own responses, not of
  /// those of a background refresh.
  func interpret(
    _ request: any RequestConvertible, id: RequestID? = nil, expectsOneValue: Bool = false,
    allowsNotModified: Bool = false, watch: RequestTraits.Watch? = nil,
    onReading: (@Sendable (ReadingStep) -> Void)? = nil,
    _ read: @escaping ResponseReader.Read
  ) -> RequestSource {
    let traits = RequestTraits(id: id, expectsOneValue: expectsOneValue, watch: watch)
    return RequestSource(self, request, traits) { attempt in
      let onReading = id == nil || attempt.request.id == id ? onReading : nil
      let hasResponse = onReading.map { _ in Once() }
      let results = attempt.results { response, observer in
        onReading?(.began(response))
        hasResponse?.claim()
        var reader = attempt.reader
        reader.expectsOneValue = expectsOneValue
        reader.allowsNotModified = allowsNotModified
        if response.statusCode == 304 { return reader.endUnmodified(response, observer) }
        read(response, reader, observer)
      }
      guard let onReading, let hasResponse else { return results }
      return results.on(
        value: { _ in onReading(.value) },
        failure: { _ in if hasResponse.isClaimed { onReading(.failed) } },
        completion: { if hasResponse.isClaimed { onReading(.completed) } })
    }
  }

  /// Returns the signal of a request whose successful body is read in pieces, on the transport's thread.
  ///
  /// The first piece is empty and carries the validated head; the last one is empty and carries the metrics. Any other
  /// response is collected and validated: if a validator accepts it, its body is one piece. A 304 to a conditional request
  /// completes the signal. A failure after the first result is not retried.
  /// - Parameters:
  ///   - request: The request.
  ///   - watch: Observes the transport events. Default: none.
  ///   - adjust: Changes the request of each attempt. Default: none.
  ///   - read: Reads the pieces of an attempt.
  /// - Returns: The results.
  func streamed(
    _ request: any RequestConvertible, watch: RequestTraits.Watch? = nil,
    adjust: (@Sendable (inout Request) -> Void)? = nil,
    _ read: @escaping @Sendable (RequestRun.Results, HTTPRequest) -> RequestRun.Results
  ) -> RequestSource {
    RequestSource(self, request, RequestTraits(isStreamed: true, watch: watch, adjust: adjust)) { attempt in
      read(attempt.response.validated(by: attempt.reader), attempt.request)
    }
  }
}

extension Signal where Value == Response<Data>, Failure == NetworkError {
  /// Returns the pieces of a response validated by its head, or by its whole body if it is not successful.
  func validated(by reader: ResponseReader) -> Signal {
    Signal { observer in
      let hasValidHead = Once()
      return subscribe(under: observer.pressure) { event in
        guard case .value(let response) = event, !hasValidHead.isClaimed else { return observer.send(event) }
        if response.statusCode == 304 { return reader.endUnmodified(response, observer) }
        do throws(NetworkError) {
          try reader.validate(response)
        } catch {
          return observer.fail(reader.failure(error, response))
        }
        hasValidHead.claim()
        observer.send(event)
      }
    }
  }
}

/// A client's calls in flight by their identifiers, including those of batches and chains.
final class ActiveCalls: Sendable {
  private let cancellations = Guarded<[RequestID: @Sendable () -> Void]>([:])

  /// The identifiers in the order in which the calls were started.
  var ids: [RequestID] {
    cancellations.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
  }

  func cancel(_ id: RequestID) { cancellations.withLock { $0[id] }?() }

  func add(_ id: RequestID, _ cancel: @escaping @Sendable () -> Void) {
    cancellations.withLock { $0[id] = cancel }
  }

  func remove(_ id: RequestID) { cancellations.discardWithLock { $0.removeValue(forKey: id) } }
}
