import Foundation

/// A body accepted by validators and envelope, with the reader that decodes it.
struct CheckedBody: Sendable {
  let body: Data
  let reader: ResponseReader
}

extension ResponseReader {
  /// Returns the response with the fields of its one envelope; throws if validators or envelope reject it.
  func checkedOne(_ response: Response<Data>) throws -> Response<Data> {
    try accept(response)
    guard let envelope = wrapper, !response.value.isEmpty else { return response }
    let context = DecodingContext(envelope)
    return try unwrap(NoContent.self, response, context).annotated(on: response, context)
  }

  /// Returns the one decoded value of a response that ``checkedOne(_:)`` has returned, on the thread of the caller.
  func one<Value: Decodable>(
    _ type: Value.Type, from checked: Response<Data>
  ) throws(NetworkError) -> Response<Value> {
    var response = checked
    do {
      if let whole = try wholeBody(type, &response) { return try map(response.replacing(whole)) }
      if response.value.isEmpty { return try map(response.replacing(empty(type, response))) }
      let envelope = wrapper
      let context = DecodingContext(envelope)
      let payload: Payload<Value>
      if envelope != nil {
        let opened = try unwrap(type, response, context)
        response = opened.annotated(on: response, context)
        guard let content = opened.payload else { return try map(response.replacing(missing(type, response))) }
        payload = content
      } else {
        payload = try decoder.decode(Payload<Value>.self, from: response.value, userInfo: context.userInfo)
        response = response.annotated(context)
      }
      switch payload {
      case .value(let value): return try map(response.replacing(value))
      case .elements(_, _, let path): throw WrongKind(path: path, kind: "array")
      }
    } catch {
      throw failure(error, response, of: type)
    }
  }
}
