/// What is in a payload: a value, or the elements of an array where a value of another kind was asked for.
enum Payload<Value: Decodable>: Decodable {
  case value(Value)
  case elements([Value], (any Error)?)

  /// Decodes what is at a decoder, whose own path is where a mismatch means that it may be an array.
  init(from decoder: any Decoder) throws {
    let isShaped = Value.self is any JSONShaped.Type
    do {
      // Through a container, so that the decoder's rules for dates and the like count here too.
      let container = try decoder.singleValueContainer()
      self = .value(isShaped ? try container.decode(Shaped<Value>.self).value : try container.decode(Value.self))
    } catch DecodingError.typeMismatch(let type, let context) where context.codingPath.count == decoder.codingPath.count
    {
      guard var elements = try? decoder.unkeyedContainer() else {
        throw WrongKind(path: context.codingPath, error: DecodingError.typeMismatch(type, context))
      }
      self.init(&elements, isShaped)
    }
  }

  private init(_ container: inout any UnkeyedDecodingContainer, _ isShaped: Bool) {
    var values: [Value] = []
    while !container.isAtEnd {
      do {
        values.append(isShaped ? try container.decode(Shaped<Value>.self).value : try container.decode(Value.self))
      } catch {
        self = .elements(values, error)
        return
      }
    }
    self = .elements(values, nil)
  }
}

/// The payload is of another kind than the type, such as a string in the place of an object.
struct WrongKind: Error {
  var path: [any CodingKey] = []
  /// The kind of the payload, in JSON's terms; `nil` if only the decoder's error says.
  var kind: String?
  var error: (any Error)?
}

/// A payload with what is around it.
struct Enveloped<Value: Decodable>: Decodable {
  /// `nil` if it is missing, or null where the type has a value for that.
  let payload: Payload<Value>?
  let code: String?
  let message: String?

  init(from decoder: any Decoder) throws {
    guard let envelope = decoder.userInfo[.envelope] as? any Envelope else {
      throw EnvelopeFields.refusal("the decoder does not hand on its userInfo")
    }
    let opening = try envelope.open(decoder)
    (code, message) = (opening.code, opening.message)
    do {
      payload = try opening.payload.map { try Payload(from: $0) }
    } catch DecodingError.valueNotFound(_, let context)
      where Value.self is any EmptyBodyDecodable.Type && context.codingPath.count == opening.payload?.codingPath.count
    {
      payload = nil
    }
  }
}

/// The elements of an array at the root, each with an envelope of its own; there is at least one.
struct EnvelopedElements<Value: Decodable>: Decodable {
  /// Those before the first bad one.
  private(set) var elements: [Enveloped<Value>] = []
  private(set) var problem: (any Error)?

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    guard !container.isAtEnd else { throw EnvelopeFields.refusal("the answer is an empty array") }
    while !container.isAtEnd, problem == nil {
      do {
        elements.append(try container.decode(Enveloped<Value>.self))
      } catch {
        problem = error
      }
    }
  }
}

extension CodingUserInfoKey {
  /// Where the envelope is, for `Enveloped`.
  static let envelope = CodingUserInfoKey(rawValue: "Heliograph.envelope")!
}
