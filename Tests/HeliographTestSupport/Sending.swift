import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

extension NetworkClient {
  /// Sends a request, which may be a text literal and has to fail, and returns its error.
  package func failure<Output: Decodable & Sendable>(
    of request: Request, as type: Output.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> NetworkError {
    try await failure(of: request.returning(type), as: type, sourceLocation: sourceLocation)
  }

  /// Sends a request that has to fail, and returns its error.
  package func failure<Output: Decodable & Sendable>(
    of request: some RequestConvertible, as type: Output.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> NetworkError {
    var failure: NetworkError?
    do throws(NetworkError) {
      _ = try await send(request, as: type)
    } catch {
      failure = error
    }
    return try #require(failure, sourceLocation: sourceLocation)
  }
}

/// A client of `https://a.example/v1` over a stub.
package struct Stubbed {
  package let stub = StubTransport()
  package let client: NetworkClient

  package init(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://a.example/v1"), services: [], transport: stub)
    configure(&configuration)
    client = NetworkClient(configuration)
  }

  /// Scripts the response of `GET /v1/x`.
  package func answer(_ body: Data, status: Int = 200, contentType: String? = "application/json") {
    let headers: HTTPHeaders = contentType.map { ["Content-Type": $0] } ?? [:]
    stub.on(.get, "/v1/x", StubAnswer([.head(status: status, headers: headers), .body(body)]))
  }

  /// Scripts a JSON response of `GET /v1/x`.
  package func answer(_ json: String, status: Int = 200) { answer(Data(json.utf8), status: status) }

  /// Path and query of the request for a path, as it would be sent.
  package func target(_ path: RequestPath) throws -> String { try target(Request(.get, path)) }

  /// Path and query of a request, as it would be sent.
  @_disfavoredOverload
  package func target(_ request: some RequestConvertible) throws -> String {
    let address = try client.httpRequest(for: request).address
    return address.hasPrefix("https://a.example/v1") ? String(address.dropFirst(20)) : address
  }
}
