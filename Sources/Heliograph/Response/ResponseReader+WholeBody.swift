import Foundation
import Signals

/// A result type whose value is the whole body of any content type.
protocol WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder)
}

extension Data: WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder) { self = response.value }
}

extension NoContent: WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder) { self.init() }
}

extension String: WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder) {
    let type = response.headers["Content-Type"] ?? ""
    // The value of a JSON string is its content; that of other JSON is the text of the body.
    let text = type.isJSONMediaType ? try? decoder.decode(String.self, from: response.value, userInfo: [:]) : nil
    self = text ?? String(response.value, charset: type.charset)
  }
}

extension Optional: WholeBodyResult where Wrapped: WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder) {
    let isNull = response.headers["Content-Type"]?.isJSONMediaType == true && response.value.isNullJSON
    self = response.value.isEmpty || isNull ? nil : Wrapped(wholeBody: response, decoder: decoder)
  }
}

extension Data {
  /// Whether the text is `null`, possibly between white space and after a byte order mark.
  fileprivate var isNullJSON: Bool {
    let text = trimmed
    return text.starts(with: "null".utf8) && text.dropFirst(4).trimmed.isEmpty
  }

  private var trimmed: Data { drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } }
}

extension ResponseReader {
  /// Returns the payload of a type whose value is the whole body; `nil` for any other type.
  ///
  /// Bytes are the body as received, after the envelope has accepted it; any other type is the envelope's payload.
  @inline(never)
  func wholeBody<Value: Decodable>(_ type: Value.Type, _ response: inout Response<Data>) throws -> Payload<Value>? {
    guard let whole = type as? any WholeBodyResult.Type else { return nil }
    if let envelope = wrapper {
      guard type is Data.Type else { return nil }
      if !response.value.isEmpty { response = try checkingEnvelope(response, envelope) }
    }
    guard let value = whole.init(wholeBody: response, decoder: decoder) as? Value else { return nil }
    return .value(value)
  }
}

/// A body accepted by validators and envelope, which another thread than that of its request decodes.
struct CheckedBody: Sendable {
  let response: Response<Data>
  let reader: ResponseReader
  /// Receives the decoded response, whose value is read elsewhere, or the failure.
  let observer: Observer<Response<Data>, NetworkError>
  /// The scheduler on which the reading ends.
  let scheduler: any SignalScheduler

  /// Decodes the body and ends its reading; returns `nil` if the body cannot be decoded or its request has ended.
  func decoded<Value: Decodable>(as type: Value.Type) -> Response<Value>? {
    // The request may have failed or been cancelled while the caller's actor was busy.
    if observer.isDisposed { return nil }
    do throws(NetworkError) {
      let decoded = try reader.one(type, from: response)
      let ending = decoded.replacing(Data())
      scheduler.schedule { [observer] in observer.complete(with: ending) }
      return decoded
    } catch {
      scheduler.schedule { [observer] in observer.fail(error) }
      return nil
    }
  }
}

extension Response<Data> {
  /// Returns the response with the value of another one; throws if there is none.
  func replacing<Output>(by decoded: Response<Output>?) throws(NetworkError) -> Response<Output> {
    guard let decoded else {
      throw NetworkError(.invalidResponse, reason: "the transport completed without a value", response: self)
    }
    return replacing(decoded.value)
  }
}

extension ResponseReader {
  /// Returns the one decoded value of a response that ``checked(_:isOne:)`` has returned, on the thread of the caller.
  func one<Value: Decodable>(
    _ type: Value.Type, from checked: Response<Data>
  ) throws(NetworkError) -> Response<Value> {
    var response = checked
    do {
      switch try payload(type, &response) {
      case .value(let value): return try map(response.replacing(value))
      case .elements(_, _, let path): throw WrongKind(path: path, kind: "array")
      }
    } catch {
      throw failure(error, response, of: type)
    }
  }
}
