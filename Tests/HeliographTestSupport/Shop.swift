import Foundation
import Heliograph
import HeliographTesting
import TestSupport

/// A product as the tests' server serves it.
package struct Product: Codable, Sendable, Hashable {
  package let id: Int
  package let name: String

  package init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}

/// A server with a client of its own: what most flow tests start with.
package struct Shop {
  package let server: LoopbackServer
  package let client: NetworkClient

  package init(transport: (any Transport)? = nil, _ adjust: (inout NetworkClient.Configuration) -> Void = { _ in })
    throws
  {
    server = try LoopbackServer()
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: transport)
    // No request that is to hang ends by itself while its test waits for a thread.
    configuration.idleTimeout = .seconds(3_600)
    adjust(&configuration)
    client = NetworkClient(configuration)
  }

  /// Routes a `GET` to a JSON body.
  package func serve(_ path: String, _ json: String, status: Int = 200) {
    server.route("GET", path) { _ in .json(json, status: status) }
  }

  /// Records a typed request to its end.
  package func products<Result: Decodable & Sendable>(
    _ path: String, as type: Result.Type = Product.self
  ) async -> SignalRecorder<Response<Result>, NetworkError> {
    let recorder = SignalRecorder(client.enqueue(request: Request(.get, RequestPath(path)), resultType: type))
    await recorder.waitForEnd()
    return recorder
  }
}
