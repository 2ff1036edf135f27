public import Foundation
public import Heliograph

/// A scripted response of a stub, as a sequence of steps.
public struct StubAnswer: Sendable {
  /// One step of an answer.
  public enum Step: Sendable {
    /// The source of the response, as reported by a cache; precedes the head.
    case source(ResponseSource)
    /// The head; a status outside 100 to 999 fails with ``/Heliograph/NetworkError/Code/invalidResponse``.
    case head(status: Int, headers: HTTPHeaders = [:])
    /// A chunk of the body; not delivered where HTTP allows no body: for `HEAD`, and after a status of 1xx, 204 or 304.
    case body(Data)
    /// A delay on the stub's scheduler, which counts towards the idle timeout of the request.
    case delay(Duration)
    /// A failure of the exchange.
    case failure(NetworkError)
    /// No further event until a timeout of the request elapses or the request is cancelled.
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
  ///   - text: The JSON text; it is not validated.
  ///   - status: The status code. Default: 200.
  ///   - headers: The header fields besides `Content-Type`. Default: none.
  /// - Returns: The answer.
  public static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubAnswer {
    .data(Data(text.utf8), contentType: "application/json", status: status, headers: headers)
  }

  /// Returns a response with bytes of JSON as its body.
  ///
  /// The parameters are those of ``json(_:status:headers:)-(String,_,_)``.
  public static func json(_ data: Data, status: Int = 200, headers: HTTPHeaders = [:]) -> StubAnswer {
    .data(data, contentType: "application/json", status: status, headers: headers)
  }

  /// Returns a response with the content of a file as its body, such as a fixture of the test bundle.
  ///
  /// - Parameters:
  ///   - url: The file, which is read immediately. If it cannot be read, the exchange fails with
  ///     ``/Heliograph/NetworkError/Code/invalidBody``.
  ///   - contentType: The content type. Default: derived from the file name extension.
  ///   - status: The status code. Default: 200.
  ///   - headers: The header fields besides `Content-Type`. Default: none.
  /// - Returns: The answer.
  public static func file(
    _ url: URL, contentType: String? = nil, status: Int = 200, headers: HTTPHeaders = [:]
  ) -> StubAnswer {
    do {
      let type = contentType ?? MultipartMediaType.ofFile(named: url.lastPathComponent)
      return .data(try Data(contentsOf: url), contentType: type, status: status, headers: headers)
    } catch {
      let reason = "cannot read the stub's file \(url.path)"
      return .failure(NetworkError(.invalidBody, reason: reason, underlying: error))
    }
  }

  /// Returns a response with a value encoded as JSON.
  ///
  /// - Parameters:
  ///   - value: The value. If it cannot be encoded, the exchange fails with
  ///     ``/Heliograph/NetworkError/Code/invalidBody``.
  ///   - status: The status code. Default: 200.
  ///   - headers: The header fields besides `Content-Type`. Default: none.
  ///   - coding: The rules for JSON. Default: ``/Heliograph/JSONCoding``, as for a client.
  /// - Returns: The answer.
  public static func json(
    _ value: some Encodable, status: Int = 200, headers: HTTPHeaders = [:], coding: JSONCoding = JSONCoding()
  ) -> StubAnswer {
    do {
      let body = try coding.makeEncoder().encode(value)
      return .data(body, contentType: "application/json", status: status, headers: headers)
    } catch {
      return .failure(
        NetworkError(.invalidBody, reason: "cannot encode the stub's response body", underlying: error))
    }
  }

  /// Returns a response with a text as its body, sent as UTF-8.
  ///
  /// The parameters are those of ``json(_:status:headers:)-(String,_,_)``.
  public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubAnswer {
    .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
  }

  /// Returns a response with bytes as its body.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - contentType: The content type. Default: `application/octet-stream`.
  ///   - status: The status code. Default: 200.
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

  /// A failure as on a device without a network: a `client` error with the code 668.
  public static var offline: StubAnswer {
    .failure(NetworkError(.unreachable, reason: "offline: the stub has no network"))
  }

  /// A failure as when the idle timeout elapses because the server does not respond.
  public static var timeout: StubAnswer { .failure(.idleTimeout("idle timeout of the stub")) }

  /// An answer that sends no event until a timeout of the request elapses or the request is cancelled.
  public static var never: StubAnswer { StubAnswer([.never]) }

  /// Returns a copy with a delay before the first step.
  public func delayed(by delay: Duration) -> StubAnswer { StubAnswer([.delay(delay)] + steps) }

  /// Returns a copy with a header field added.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - value: The value. It replaces an existing `Content-Type`; for any other name it is added to existing values.
  /// - Returns: The copy.
  public func header(_ name: String, _ value: String) -> StubAnswer {
    StubAnswer(
      steps.map { step in
        guard case .head(let status, var headers) = step else { return step }
        if name.isEqualIgnoringCase(to: "Content-Type") { headers[name] = value } else { headers.add(value, for: name) }
        return .head(status: status, headers: headers)
      })
  }

  /// Returns a copy whose response comes from another source than the network, such as a cache.
  public func from(_ source: ResponseSource) -> StubAnswer { StubAnswer([.source(source)] + steps) }

  /// Returns the events of the steps; the exchange fails when the request's idle timeout elapses.
  func events(for request: HTTPRequest, on scheduler: any SignalScheduler) -> Signal<TransportEvent, NetworkError> {
    func pause(_ duration: Duration) -> Signal<TransportEvent, NetworkError> {
      Signal<Void, NetworkError>.timer(after: duration, on: scheduler).then(.empty)
    }
    var events: [Signal<TransportEvent, NetworkError>] = []
    // The delays since the last byte, combined into one pause.
    var idleTime = Duration.zero
    var hasBody = request.method != .head
    for step in steps {
      var exceedsIdleTimeout = false
      switch step {
      case .head(let status, _):
        hasBody = request.method != .head && ![204, 304].contains(status) && !(100..<200).contains(status)
      case .body where !hasBody: continue
      case .delay(let delay):
        idleTime += max(.zero, delay)
        exceedsIdleTimeout = idleTime > request.idleTimeout
      case .never: exceedsIdleTimeout = true
      default: break
      }
      if exceedsIdleTimeout {
        let reason = "idle timeout: no bytes sent or received for \(request.idleTimeout)"
        events += [pause(request.idleTimeout), .fail(.idleTimeout(reason).attaching(request))]
        return .concat(events)
      }
      guard let event = step.event(for: request) else { continue }
      if idleTime > .zero { events.append(pause(idleTime)) }
      idleTime = .zero
      events.append(event)
    }
    if idleTime > .zero { events.append(pause(idleTime)) }
    return .concat(events)
  }
}

extension NetworkError {
  /// The failure of a server that does not respond; the party is stated, because a stub has no evidence of it, such as
  /// the instant of sending.
  fileprivate static func idleTimeout(_ reason: String) -> NetworkError {
    var error = NetworkError(.timedOut, reason: reason)
    error.attribution = Attribution(.server)
    return error
  }
}

extension StubAnswer.Step {
  /// The event of the step; `nil` for a pause.
  fileprivate func event(for request: HTTPRequest) -> Signal<TransportEvent, NetworkError>? {
    switch self {
    case .source(let source): .just(.source(source))
    // Every other transport rejects such a status, too.
    case .head(let status, _) where !(100..<1_000).contains(status):
      .fail(NetworkError(.invalidResponse, reason: "invalid HTTP status \(status)", request: request))
    case .head(let status, let headers):
      .just(.head(HTTPResponse(statusCode: status, headers: headers, url: request.url)))
    case .body(let data): .just(.body(data))
    case .failure(let error): .fail(error)
    case .delay, .never: nil
    }
  }
}
