import Foundation
import Signals

extension ResponseReader {
  /// The response, once its envelope, or those of all elements of an array at its root, say that the operation succeeded.
  func judged(_ response: Response<Data>, _ envelope: any Envelope) throws -> Response<Data> {
    let collector = DecodeReport.Collector()
    do {
      return try unwrap(NoContent.self, envelope, response, collector).noted(on: response, collector)
    } catch let error as NetworkError where error.isBadEnvelope {
      guard let all = elements(NoContent.self, envelope, response) else { throw error }
      if let problem = all.problem { throw problem }
      return response
    }
  }

  /// The elements of an array at the root, each an envelope; `nil` if the body is not an array, or an empty one.
  ///
  /// Tried where the body as a whole is not wrapped: a second pass, of answers that are no success otherwise.
  func elements<Value: Decodable>(
    _ type: Value.Type, _ envelope: any Envelope, _ response: Response<Data>
  ) -> EnvelopedElements<Value>? {
    try? decoder.decode(EnvelopedElements<Value>.self, from: response.value, userInfo: [.envelope: envelope])
  }

  /// Sends what each element wraps, up to the first bad one, and ends.
  func send<Value: Decodable & Sendable>(
    _ all: EnvelopedElements<Value>, _ response: Response<Data>, _ observer: Observer<Response<Value>, NetworkError>
  ) throws(NetworkError) {
    for element in all.elements {
      let response = element.noted(on: response)
      switch element.payload {
      case .value(let value): try send([value], nil, response, observer)
      case .elements(let values, let problem): try send(values, problem, response, observer)
      case nil: try send([try missing(Value.self, response).value], nil, response, observer)
      }
    }
    if let problem = all.problem {
      throw failure(problem, response, of: Value.self, prefix: "Invalid JSON array element: ")
    }
    observer.complete()
  }
}

extension NetworkError {
  /// Whether an envelope has refused the answer as not wrapped by it.
  var isBadEnvelope: Bool { domain == .processing && code == .badEnvelope }
}
