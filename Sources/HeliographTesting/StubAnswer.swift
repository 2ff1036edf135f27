public import Foundation
public import Heliograph
import Signals

/// A scripted response of a stub, as a sequence of steps.
public struct StubAnswer: Sendable {
  /// One step of an answer.
  public enum Step: Sendable {
    /// The source of the response, as a cache reports it; before the head.
    case source(ResponseSource)
    /// The head of the response.
    case head(status: Int, headers: HTTPHeaders = [:])
    /// A chunk of the body.
    case body(Data)
    /// A delay on the stub's scheduler.
    case delay(Duration)
    /// A failure of the exchange.
    case failure(NetworkError)
    /// An exchange that stays in flight without further events.
    case never
  }

  /// The steps in order; the exchange completes after the last one.
  public var steps: [Step]

  /// Creates an answer from steps.
  public init(_ steps: [Step]) {
    self.steps = steps
  }

  /// Returns a response with JSON text as its body.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - status: The status. Default: 200.
  ///   - headers: The header fields besides `Content-Type`. Default: none.
  /// - Returns: The answer.
  public static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubAnswer {
    .data(Data(text.utf8), contentType: "application/json", status: status, headers: headers)
  }

  /// Returns a response with a value encoded as JSON.
  ///
  /// - Parameters:
  ///   - value: The value. If it cannot be encoded, the exchange fails with ``/Heliograph/NetworkError/Code/invalidBody``.
  ///   - status: The status. Default: 200.
  ///   - headers: The header fields besides `Content-Type`. Default: none.
  ///   - coding: The rules for JSON. Default: those of a client, ``/Heliograph/JSONCoding``.
  /// - Returns: The answer.
  public static func json(
    _ value: some Encodable, status: Int = 200, headers: HTTPHeaders = [:], coding: JSONCoding = JSONCoding()
  ) -> StubAnswer {
    do {
      let body = try coding.makeEncoder().encode(value)
      return .data(body, contentType: "application/json", status: status, headers: headers)
    } catch {
      return .failure(
        NetworkError(.client, .invalidBody, reason: "the stub's answer cannot be encoded", underlying: error))
    }
  }

  /// Returns a response with a text as its body.
  ///
  /// - Parameters:
  ///   - text: The body, sent as UTF-8.
  ///   - status: The status. Default: 200.
  ///   - headers: The header fields besides `Content-Type`. Default: none.
  /// - Returns: The answer.
  public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubAnswer {
    .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
  }

  /// Returns a response with bytes as its body.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - contentType: The content type. Default: `application/octet-stream`.
  ///   - status: The status. Default: 200.
  ///   - headers: The header fields besides `Content-Type`. Default: none.
  /// - Returns: The answer.
  public static func data(
    _ data: Data, contentType: String = "application/octet-stream", status: Int = 200, headers: HTTPHeaders = [:]
  ) -> StubAnswer {
    var headers = headers
    if headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
    return StubAnswer([.head(status: status, headers: headers), .body(data)])
  }

  /// Returns a response without a body.
  public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> StubAnswer {
    StubAnswer([.head(status: status, headers: headers)])
  }

  /// Returns a failure without a response.
  public static func failure(_ error: NetworkError) -> StubAnswer { StubAnswer([.failure(error)]) }

  /// A failure as without a network: a `client` error with the code 668.
  public static var offline: StubAnswer {
    .failure(NetworkError(.client, .unreachable, reason: "the stub has no network"))
  }

  /// A failure as after an idle timeout.
  public static var timeout: StubAnswer {
    .failure(NetworkError(.network, .timedOut, reason: "the stub's idle timeout has elapsed"))
  }

  /// An answer without any event, until the request is cancelled.
  public static var never: StubAnswer { StubAnswer([.never]) }

  /// Returns the same answer after a delay.
  public func delayed(by delay: Duration) -> StubAnswer { StubAnswer([.delay(delay)] + steps) }

  /// Returns the same answer with another source than the network, as if from a cache.
  public func from(_ source: ResponseSource) -> StubAnswer { StubAnswer([.source(source)] + steps) }

  /// Returns the steps as the events of an exchange.
  func events(for request: HTTPRequest, on scheduler: any SignalScheduler) -> Signal<TransportEvent, NetworkError> {
    .concat(
      steps.map { step in
        switch step {
        case .source(let source): .just(.source(source))
        case .head(let status, let headers):
          .just(.head(HTTPResponse(statusCode: status, headers: headers, url: request.url)))
        case .body(let data): .just(.body(data))
        case .delay(let delay): Signal<Void, NetworkError>.timer(after: delay, on: scheduler).then(.empty)
        case .failure(let error): .fail(error)
        case .never: .never
        }
      })
  }
}
