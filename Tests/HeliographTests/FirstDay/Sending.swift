import Foundation
import Heliograph
import HeliographTesting
import Testing

extension NetworkClient {
  /// Sends a request that has to fail, and returns its error.
  func failure<Output: Decodable & Sendable>(
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
struct Stubbed {
  let stub = StubTransport()
  let client: NetworkClient

  init(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://a.example/v1"), services: [], transport: stub)
    configure(&configuration)
    client = NetworkClient(configuration)
  }

  /// Scripts the response of `GET /v1/x`.
  func answer(_ body: Data, status: Int = 200, contentType: String? = "application/json") {
    let headers: HTTPHeaders = contentType.map { ["Content-Type": $0] } ?? [:]
    stub.on(.get, "/v1/x", StubAnswer([.head(status: status, headers: headers), .body(body)]))
  }

  /// Scripts a JSON response of `GET /v1/x`.
  func answer(_ json: String, status: Int = 200) { answer(Data(json.utf8), status: status) }

  /// Path and query of the request for a path, as it would be sent.
  func target(_ path: RequestPath) throws -> String { try target(Request(.get, path)) }

  /// Path and query of a request, as it would be sent.
  @_disfavoredOverload
  func target(_ request: some RequestConvertible) throws -> String {
    let address = try client.httpRequest(for: request).address
    return address.hasPrefix("https://a.example/v1") ? String(address.dropFirst(20)) : address
  }
}

/// The text of a source file of the package.
func sourceText(_ path: String) throws -> String {
  var root = URL(fileURLWithPath: #filePath)
  for _ in 0..<4 { root.deleteLastPathComponent() }
  return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
}
