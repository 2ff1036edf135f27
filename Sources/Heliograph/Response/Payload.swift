import Foundation

/// The content of a payload: a value, or the elements of an array if the requested type is not an array.
enum Payload<Value: Decodable>: Decodable {
  case value(Value)
  /// The elements up to the first invalid one, its error, and the path of the array.
  case elements([Value], (any Error)?, path: [any CodingKey])

  /// Decodes a payload; after a type mismatch at the decoder's own path, it is decoded as an array.
  init(from decoder: any Decoder) throws {
    let isShaped = Value.self is any JSONShaped.Type
    do {
      // With a container, because only containers apply the decoder's strategies for dates and data.
      let container = try decoder.singleValueContainer()
      self = .value(isShaped ? try container.decode(Shaped<Value>.self).value : try container.decode(Value.self))
    } catch DecodingError.typeMismatch(let type, let context) where context.codingPath.count == decoder.codingPath.count
    {
      guard var elements = try? decoder.unkeyedContainer() else {
        throw WrongKind(path: context.codingPath, error: DecodingError.typeMismatch(type, context))
      }
      self.init(
        &elements, isShaped, parsed: isShaped ? decoder.parsedElements : nil, path: decoder.codingPath,
        lacksNulls: decoder.context?.lacksNulls == true)
    }
  }

  private init(
    _ container: inout any UnkeyedDecodingContainer, _ isShaped: Bool, parsed: [JSON]?, path: [any CodingKey],
    lacksNulls: Bool
  ) {
    var values: [Value] = []
    let shape = (Value.self as? any JSONShaped.Type)?.jsonShape
    while !container.isAtEnd {
      var elementPath: [any CodingKey] { path + [PathKey(intValue: values.count)] }
      do {
        if let shape, let parsed, values.count < parsed.count {
          // Without `Shaped`, which would look up each element by its path in the body.
          try shape.check(parsed[values.count], for: Value.self, at: elementPath, lacksNulls: lacksNulls)
          values.append(try container.decode(Value.self))
        } else {
          values.append(isShaped ? try container.decode(Shaped<Value>.self).value : try container.decode(Value.self))
        }
      } catch {
        self = .elements(values, error.hasPath ? error : PathlessError(path: elementPath, error: error), path: path)
        return
      }
    }
    self = .elements(values, nil, path: path)
  }
}

extension Error {
  /// Whether the error already names its path in the body, or needs none.
  fileprivate var hasPath: Bool { self is DecodingError || self is NetworkError || self is PathlessError }
}

/// The error of a payload with the wrong kind of JSON value, such as a string instead of an object.
struct WrongKind: Error {
  var path: [any CodingKey] = []
  /// The kind of the payload in JSON's terms; `nil` if only the decoder's error contains it.
  var kind: String?
  var error: (any Error)?
}

struct Enveloped<Value: Decodable>: Decodable {
  /// The payload; `nil` if it is missing, or null and the type has a value for an empty body.
  let payload: Payload<Value>?
  let code: String?
  let message: String?

  init(from decoder: any Decoder) throws {
    guard let envelope = decoder.context?.envelope else {
      throw EnvelopeFields.failure("the decoder does not pass on its userInfo")
    }
    let opened: (payload: (any Decoder)?, code: String?, message: String?)
    do {
      opened = try envelope.open(decoder)
    } catch let error as NetworkError where error.domain == .api {
      throw error.reportedByServer
    }
    (code, message) = (opened.code, opened.message)
    do {
      payload = try opened.payload.map { try Payload(from: $0) }
    } catch DecodingError.valueNotFound(_, let context)
      where Value.self is any EmptyBodyDecodable.Type && context.codingPath.count == opened.payload?.codingPath.count
    {
      payload = nil
    }
  }

  /// Returns the response with the envelope's fields and the report of lenient decoding.
  func annotated(on response: Response<Data>, _ context: DecodingContext? = nil) -> Response<Data> {
    let response = context.map(response.annotated) ?? response
    if code == nil && message == nil { return response }
    return response.updatingDetails {
      $0.resultCode = code
      $0.resultMessage = message
    }
  }
}

/// The elements of an array at the root, each with its own envelope; there is at least one.
struct EnvelopedElements<Value: Decodable>: Decodable {
  /// The elements before the first invalid one.
  private(set) var elements: [Enveloped<Value>] = []
  private(set) var problem: (any Error)?

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    guard !container.isAtEnd else { throw EnvelopeFields.failure("the response is an empty array") }
    while !container.isAtEnd, problem == nil {
      do {
        elements.append(try container.decode(Enveloped<Value>.self))
      } catch {
        let path = decoder.codingPath + [PathKey(intValue: elements.count)]
        problem = error.hasPath || error is WrongKind ? error : PathlessError(path: path, error: error)
      }
    }
  }
}
