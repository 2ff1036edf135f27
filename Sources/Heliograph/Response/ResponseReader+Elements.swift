import Foundation
import Signals

extension ResponseReader {
  /// Returns the response if its envelope, or that of each element of an array at the root, reports success.
  func checkingEnvelope(_ response: Response<Data>, _ envelope: any Envelope) throws -> Response<Data> {
    let context = DecodingContext(envelope)
    do {
      return try unwrap(NoContent.self, response, context).annotated(on: response, context)
    } catch let error as NetworkError where error.code == .invalidEnvelope {
      guard let all = elements(NoContent.self, response, DecodingContext(envelope)) else { throw error }
      if let problem = all.problem { throw problem }
      return response
    }
  }

  /// Decodes the elements of an array at the root, each with its own envelope; `nil` if there are none.
  ///
  /// Called only if the body as a whole has no envelope, so that the usual response is decoded once.
  func elements<Value: Decodable>(
    _ type: Value.Type, _ response: Response<Data>, _ context: DecodingContext
  ) -> EnvelopedElements<Value>? {
    try? decoder.decode(EnvelopedElements<Value>.self, from: response.value, userInfo: context.userInfo)
  }

  /// Returns the error of an element with its inner path, found by decoding the whole body again.
  ///
  /// Foundation's decoder reports no path for a number that does not fit. ``JSONCoding`` finds it only if it decodes
  /// the whole body.
  func locating(_ problem: any Error, _ decode: () throws -> Void) -> any Error {
    guard problem is PathlessError else { return problem }
    do { try decode() } catch let error as DecodingError { return error } catch {}
    return problem
  }

  /// Sends the payload of each element, up to the first invalid one, and completes.
  func send<Value: Decodable & Sendable>(
    _ all: EnvelopedElements<Value>, _ response: Response<Data>, _ observer: Observer<Response<Data>, NetworkError>
  ) throws(NetworkError) {
    try deliver(to: observer) { results throws(NetworkError) in
      for element in all.elements {
        let response = element.annotated(on: response)
        switch element.payload {
        case .value(let value): try add([value], nil, response, to: &results)
        case .elements(let values, let problem, _): try add(values, problem, response, to: &results)
        case nil: try add([try empty(Value.self, response, isMissing: true)], nil, response, to: &results)
        }
      }
      guard let problem = all.problem else { return }
      let located = locating(problem) {
        _ = try decoder.decode(
          [Enveloped<Value>].self, from: response.value,
          userInfo: DecodingContext(wrapper ?? KeyedEnvelope.plain).userInfo)
      }
      throw failure(located, response, of: Value.self, prefix: "Invalid JSON array element: ")
    }
  }

  /// Sends the results that a closure collects, and completes or throws its error.
  ///
  /// All are collected before the first is sent, so that a response is stored before it is delivered, and a list with an
  /// invalid element does not replace a stored one.
  func deliver(
    to observer: Observer<Response<Data>, NetworkError>,
    _ collect: (inout [Response<Data>]) throws(NetworkError) -> Void
  ) throws(NetworkError) {
    var results: [Response<Data>] = []
    var failure: NetworkError?
    do throws(NetworkError) { try collect(&results) } catch { failure = error }
    if failure != nil { decision?.withhold() }
    for result in results {
      if observer.isDisposed { return }
      observer.send(result)
    }
    if let failure { throw failure }
    observer.complete()
  }

  /// Adds the results of values, then throws the failure of the element after them.
  func add<Value: Decodable & Sendable>(
    _ values: [Value], _ problem: (any Error)?, _ response: Response<Data>, to results: inout [Response<Data>]
  ) throws(NetworkError) {
    for value in values {
      do throws(NetworkError) {
        results.append(try result(value, response))
      } catch {
        throw failure(error, response)
      }
    }
    guard let problem else { return }
    let located = locating(problem) {
      if let wrapper {
        _ = try unwrap([Value].self, response, DecodingContext(wrapper))
      } else {
        _ = try decoder.decode([Value].self, from: response.value, userInfo: [:])
      }
    }
    throw failure(located, response, of: Value.self, prefix: "Invalid JSON array element: ")
  }

  /// Returns the value decoded from a part of a body, such as a line, without envelope and mapper.
  ///
  /// - Throws: A `processing` error with the part as the body of its response.
  func decode<Value: Decodable>(
    _ type: Value.Type, from part: Response<Data>, prefix: String
  ) throws(NetworkError) -> Value {
    do {
      if type is any JSONShaped.Type {
        return try decoder.decode(Shaped<Value>.self, from: part.value, userInfo: [:]).value
      }
      return try decoder.decode(type, from: part.value, userInfo: [:])
    } catch {
      throw failure(error, part, of: type, prefix: prefix)
    }
  }
}
