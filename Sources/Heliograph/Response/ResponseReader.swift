package import Foundation
package import Signals

/// A reader that validates and decodes responses, stage by stage.
package struct ResponseReader: Sendable {
  /// The merged stages of a client, a service and a request.
  let stages: Stages

  /// The request, for errors.
  let request: HTTPRequest?
  /// The rules for JSON.
  let json: JSONCoding
  /// Whether an array instead of an object is an error, rather than one response per element.
  var expectsOneValue = false
  /// The decision whether the response is stored; `nil` without a cache.
  var decision: StoreDecision?

  package init(stages: Stages, request: HTTPRequest? = nil, json: JSONCoding = JSONCoding()) {
    self.stages = stages
    self.request = request
    self.json = json
  }

  /// Throws if a validator rejects the response.
  func validate(_ response: Response<Data>) throws(NetworkError) {
    if let base = stages.baseValidators {
      for validator in base { try validator.validate(response) }
    } else {
      try StatusValidator().validate(response)
    }
    for validator in stages.validators { try validator.validate(response) }
  }

  /// Throws if a validator rejects the response, or if it has no body where an envelope must judge it.
  ///
  /// A 204, 205 or 304 and the response to a `HEAD` have no body by definition.
  func accept(_ response: Response<Data>) throws(NetworkError) {
    try validate(response)
    guard response.value.isEmpty, wrapping != nil, ![204, 205, 304].contains(response.statusCode),
      (response.request ?? request)?.method != .head
    else { return }
    throw EnvelopeFields.refusal("missing envelope: the response has no body")
  }

  /// Sends the decoded values of a response, one value or one per array element, and completes.
  ///
  /// The type is decoded first. If the payload is an array instead, its elements are decoded one by one: each is a
  /// response of its own, in order, and the first invalid one fails the signal.
  package func read<Value: Decodable & Sendable>(
    _ type: Value.Type, from response: Response<Data>, into observer: Observer<Response<Value>, NetworkError>
  ) {
    var response = response
    do {
      try accept(response)
      if let whole = try wholeBody(type, response) { return observer.complete(with: try map(whole)) }
      if response.value.isEmpty { return observer.complete(with: try map(empty(type, response))) }
      guard let envelope = wrapping else { return try readBare(type, response, observer) }
      let context = DecodingContext(envelope)
      let opened: Enveloped<Value>
      do {
        opened = try unwrap(type, response, context)
      } catch let error as NetworkError where error.isInvalidEnvelope {
        guard !expectsOneValue, let all = elements(type, envelope, response) else { throw error }
        return try send(all, response, observer)
      }
      response = opened.noted(on: response, context)
      guard let payload = opened.payload else { return observer.complete(with: try map(missing(type, response))) }
      try send(payload, response, observer)
    } catch {
      observer.fail(failure(error, response, of: type))
    }
  }

  /// Returns the response, with the fields of its envelope, if validators and envelope accept it.
  func judge(_ response: Response<Data>) throws -> Response<Data> {
    try accept(response)
    guard let envelope = wrapping, !response.value.isEmpty else { return response }
    return try judged(response, envelope)
  }

  /// Transforms the response with the caller's closure, after validation and the check of its envelope.
  func transform<Value: Sendable>(
    _ response: Response<Data>, _ transform: (Response<Data>) throws -> Value
  ) throws(NetworkError) -> Response<Value> {
    var response = response
    do {
      response = try judge(response)
    } catch {
      throw failure(error, response, of: Value.self)
    }
    let value: Value
    do {
      value = try transform(response)
    } catch {
      throw failure(NetworkError(transform: error), response)
    }
    do {
      return try map(response.replacing(value))
    } catch {
      throw failure(error, response)
    }
  }

  /// The envelope; `nil` if the payload has no wrapper.
  var wrapping: (any Envelope)? { (stages.envelope as? KeyedEnvelope)?.isPlain == true ? nil : stages.envelope }
  var decoder: any BodyDecoder { stages.decoder ?? json }

  func unwrap<Value: Decodable>(
    _ type: Value.Type, _ response: Response<Data>, _ context: DecodingContext
  ) throws -> Enveloped<Value> {
    try decoder.decode(Enveloped<Value>.self, from: response.value, userInfo: [.heliograph: context])
  }

  private func readBare<Value: Decodable & Sendable>(
    _ type: Value.Type, _ response: Response<Data>, _ observer: Observer<Response<Value>, NetworkError>
  ) throws {
    let context = DecodingContext()
    let value: Value
    do {
      if type is any JSONShaped.Type {
        let payload = try decoder.decode(
          Payload<Value>.self, from: response.value, userInfo: [.heliograph: context])
        return try send(payload, response.noted(context), observer)
      }
      value = try decoder.decode(type, from: response.value, userInfo: [.heliograph: context])
    } catch DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty {
      let context = DecodingContext()
      let payload = try decoder.decode(
        Payload<Value>.self, from: response.value, userInfo: [.heliograph: context])
      return try send(payload, response.noted(context), observer)
    }
    observer.complete(with: try map(response.noted(context).replacing(value)))
  }

  private func send<Value: Decodable & Sendable>(
    _ payload: Payload<Value>, _ response: Response<Data>, _ observer: Observer<Response<Value>, NetworkError>
  ) throws(NetworkError) {
    switch payload {
    case .value(let value): observer.complete(with: try map(response.replacing(value)))
    case .elements(_, _, let path) where expectsOneValue:
      throw failure(WrongKind(path: path, kind: "array"), response, of: Value.self)
    case .elements(let values, let problem, _):
      try send(values, problem, response, observer)
      observer.complete()
    }
  }

  /// Sends values, then throws the failure of the element after them.
  func send<Value: Decodable & Sendable>(
    _ values: [Value], _ problem: (any Error)?, _ response: Response<Data>,
    _ observer: Observer<Response<Value>, NetworkError>
  ) throws(NetworkError) {
    // A list that fails at a later element does not replace a stored one.
    let decision = problem == nil && stages.mapper == nil ? nil : decision
    decision?.isHeld = true
    for value in values {
      if observer.isDisposed { return }
      do throws(NetworkError) {
        observer.send(try map(response.replacing(value)))
      } catch {
        throw failure(error, response)
      }
    }
    if let problem {
      let problem = placed(problem) {
        if let wrapping {
          _ = try unwrap([Value].self, response, DecodingContext(wrapping))
        } else {
          _ = try decoder.decode([Value].self, from: response.value, userInfo: [:])
        }
      }
      throw failure(problem, response, of: Value.self, prefix: "Invalid JSON array element: ")
    }
    decision?.isHeld = false
  }

  func map<Value>(_ response: Response<Value>) throws(NetworkError) -> Response<Value> {
    guard let mapper = stages.mapper else { return response }
    return try mapper.map(response)
  }

  func empty<Value>(_ type: Value.Type, _ response: Response<Data>) throws(NetworkError) -> Response<Value> {
    if let type = type as? any EmptyBodyDecodable.Type, let value = type.emptyBodyValue as? Value {
      return response.replacing(value)
    }
    throw NetworkError(
      .emptyBody, reason: "empty body: cannot make a \(type)", response: response)
  }

  func missing<Value>(_ type: Value.Type, _ response: Response<Data>) throws(NetworkError) -> Response<Value> {
    if let type = type as? any EmptyBodyDecodable.Type, let value = type.emptyBodyValue as? Value {
      return response.replacing(value)
    }
    throw NetworkError(
      .unexpectedShape, reason: "missing payload: cannot make a \(type)",
      response: response)
  }
}

extension Enveloped {
  /// Returns the response with the envelope's fields and the report of lenient decoding.
  func noted(on response: Response<Data>, _ context: DecodingContext? = nil) -> Response<Data> {
    let response = context.map(response.noted) ?? response
    if code == nil && message == nil { return response }
    return response.detailed {
      $0.resultCode = code
      $0.resultMessage = message
    }
  }
}

extension Response {
  /// Returns the response with the report of lenient decoding.
  func noted(_ context: DecodingContext) -> Response {
    let report = context.report
    return report.isEmpty ? self : detailed { $0.decodeReport = report }
  }
}
