import Foundation
import Signals

/// A reader that validates and decodes responses, stage by stage.
struct ResponseReader: Sendable {
  /// A closure that sends the results of a response, each with a ``ReadValue`` if it is not the body, and terminates.
  typealias Read = @Sendable (Response<Data>, ResponseReader, Observer<Response<Data>, NetworkError>) -> Void

  let merged: MergedStages
  /// The request, for errors.
  let request: HTTPRequest?
  /// Whether an array in place of an object is an error instead of one response per element.
  var expectsOneValue = false
  /// Whether the body is delivered as received, so that the elements of an array in it are not taken for envelopes.
  var deliversBody = false
  /// Whether a 304 to a conditional request completes the results, even if one value is expected.
  var allowsNotModified = false
  /// The decision whether the response is stored; `nil` without a cache.
  var decision: StoreDecision?

  init(stages: Stages, request: HTTPRequest? = nil, json: JSONCoding = JSONCoding()) {
    self.init(MergedStages(stages, json), request: request)
  }

  init(_ merged: MergedStages, request: HTTPRequest?) {
    self.merged = merged
    self.request = request
  }

  func validate(_ response: Response<Data>) throws(NetworkError) {
    do throws(NetworkError) {
      if let base = merged.stages.baseValidators {
        do throws(NetworkError) {
          for validator in base { try validator.validate(response) }
        } catch {
          throw error.ofBaseValidator
        }
      } else {
        try StatusValidator().validate(response)
      }
      for validator in merged.stages.validators { try validator.validate(response) }
    } catch {
      throw refusal(error, response)
    }
  }

  /// Throws if a validator rejects the response, or if an envelope requires a body and there is none; a 204, 205 or 304
  /// and the response to a `HEAD` have no body by definition.
  func accept(_ response: Response<Data>) throws(NetworkError) {
    try validate(response)
    guard response.value.isEmpty, merged.needsBody, ![204, 205, 304].contains(response.statusCode),
      (response.request ?? request)?.method != .head
    else { return }
    throw EnvelopeFields.failure("missing envelope: the response has no body")
  }

  /// Sends the decoded values of a response, one value or one per array element, and completes.
  ///
  /// The type is decoded first, because most responses are values. If the payload is an array instead, its elements are
  /// decoded one by one: each is a response of its own, in order, and the first invalid one fails the signal.
  func read<Value: Decodable & Sendable>(
    _ type: Value.Type, from response: Response<Data>, into observer: Observer<Response<Data>, NetworkError>
  ) {
    do {
      // A shortcut for the usual type, without the casts of a generic result.
      if Value.self == Data.self { return observer.complete(with: try map(try checked(response))) }
      try accept(response)
      if response.value.isEmpty || merged.isWrapped || type is any WholeBodyResult.Type || type is any JSONShaped.Type {
        return readPayload(type, response, observer)
      }
      let context = DecodingContext()
      let info = context.userInfo
      let value: Value
      do {
        value =
          if merged.hasDecoder {
            try decoder.decode(type, from: response.value, userInfo: info)
          } else {
            try merged.json.decode(type, from: response.value, info, context)
          }
      } catch DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty,
        DecodingError.valueNotFound(_, let context) where context.codingPath.isEmpty
      {
        return readPayload(type, response, observer)
      }
      if context.entryCount == 0 { return observer.complete(with: try result(value, response)) }
      observer.complete(with: try result(value, response.annotated(context)))
    } catch {
      observer.fail(failure(error, response, of: type))
    }
  }

  /// Returns the response with the fields of its envelope; throws if validators or envelope reject it.
  ///
  /// With `isOne`, the elements of an array at the root have no envelopes of their own.
  func checked(_ response: Response<Data>, isOne: Bool = false) throws -> Response<Data> {
    try accept(response)
    guard let envelope = wrapper, !response.value.isEmpty else { return response }
    guard isOne else { return try checkingEnvelope(response, envelope) }
    let context = DecodingContext(envelope)
    return try unwrap(NoContent.self, response, context).annotated(on: response, context)
  }

  /// Validates the response, checks its envelope, and transforms it with the caller's closure.
  func transform<Value: Sendable>(
    _ response: Response<Data>, _ transform: (Response<Data>) throws -> Value
  ) throws(NetworkError) -> Response<Data> {
    var response = response
    do {
      response = try checked(response)
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
      return try result(value, response)
    } catch {
      throw failure(error, response)
    }
  }

  /// The envelope; `nil` if the payload has no wrapper.
  var wrapper: (any Envelope)? { merged.isWrapped ? merged.stages.envelope : nil }
  var decoder: any BodyDecoder { merged.stages.decoder ?? merged.json }

  func unwrap<Value: Decodable>(
    _ type: Value.Type, _ response: Response<Data>, _ context: DecodingContext
  ) throws -> Enveloped<Value> {
    try decoder.decode(Enveloped<Value>.self, from: response.value, userInfo: context.userInfo)
  }

  // Out of line, like `wholeBody`: a generic function looks up the metadata of its optional values at its start, and the
  // usual response does not need them.

  /// Returns the payload of an accepted response, and adds the fields of its envelope and the report to the response.
  @inline(never)
  func payload<Value: Decodable>(_ type: Value.Type, _ response: inout Response<Data>) throws -> Payload<Value> {
    if type is any WholeBodyResult.Type, let whole = try wholeBody(type, &response) { return whole }
    if response.value.isEmpty { return .value(try empty(type, response)) }
    let context = DecodingContext(wrapper)
    if context.envelope != nil {
      let opened = try unwrap(type, response, context)
      response = opened.annotated(on: response, context)
      if let payload = opened.payload { return payload }
      return .value(try empty(type, response, isMissing: true))
    }
    do {
      let payload = try decoder.decode(Payload<Value>.self, from: response.value, userInfo: context.userInfo)
      response = response.annotated(context)
      return payload
    } catch DecodingError.valueNotFound(_, let fault)
      where fault.codingPath.isEmpty && type is any EmptyBodyDecodable.Type
    {
      return .value(try empty(type, response))
    }
  }

  @inline(never)
  private func readPayload<Value: Decodable & Sendable>(
    _ type: Value.Type, _ response: Response<Data>, _ observer: Observer<Response<Data>, NetworkError>
  ) {
    var response = response
    do {
      let payload: Payload<Value>
      do {
        payload = try self.payload(type, &response)
      } catch let error as NetworkError where error.code == .invalidEnvelope {
        let context = DecodingContext(wrapper)
        guard context.envelope != nil, !expectsOneValue, let all = elements(type, response, context) else {
          throw error
        }
        return try send(all, response.annotated(context), observer)
      }
      try send(payload, response, observer)
    } catch {
      observer.fail(failure(error, response, of: type))
    }
  }

  private func send<Value: Decodable & Sendable>(
    _ payload: Payload<Value>, _ response: Response<Data>, _ observer: Observer<Response<Data>, NetworkError>
  ) throws(NetworkError) {
    switch payload {
    case .value(let value): observer.complete(with: try result(value, response))
    case .elements(_, _, let path) where expectsOneValue:
      throw failure(WrongKind(path: path, kind: "array"), response, of: Value.self)
    case .elements(let values, let problem, _):
      try deliver(to: observer) { results throws(NetworkError) in try add(values, problem, response, to: &results) }
    }
  }

  /// Returns the mapped response with a value read from its body; a `Data` value replaces the body.
  func result<Value: Sendable>(_ value: Value, _ response: Response<Data>) throws(NetworkError) -> Response<Data> {
    if Value.self == Data.self, let bytes = value as? Data { return try map(response.replacing(bytes)) }
    return merged.hasMapper ? try mapped(value, response) : response.withReadValue(value)
  }

  @inline(never)
  private func mapped<Value: Sendable>(
    _ value: Value, _ response: Response<Data>
  ) throws(NetworkError) -> Response<Data> {
    let mapped = try map(response.replacing(value))
    return mapped.replacing(Data()).withReadValue(mapped.value)
  }

  func map<Value>(_ response: Response<Value>) throws(NetworkError) -> Response<Value> {
    guard merged.hasMapper, let mapper = merged.stages.mapper else { return response }
    return try mapper.map(response)
  }

  /// Returns the value of an empty body, or of an envelope whose payload is missing; throws if the type has none.
  func empty<Value>(
    _ type: Value.Type, _ response: Response<Data>, isMissing: Bool = false
  ) throws(NetworkError) -> Value {
    if let type = type as? any EmptyBodyDecodable.Type, let value = type.emptyBodyValue as? Value { return value }
    throw NetworkError(
      isMissing ? .unexpectedShape : .emptyBody,
      reason: "\(isMissing ? "missing payload" : "empty body"): cannot make a \(type)", response: response)
  }
}

extension Response {
  func annotated(_ context: DecodingContext) -> Response {
    let report = context.report
    return report.isEmpty ? self : updatingDetails { $0.decodeReport = report }
  }
}
