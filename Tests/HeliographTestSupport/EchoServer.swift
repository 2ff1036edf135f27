import Foundation
import Heliograph
import HeliographTesting
import TestSupport

/// A server that answers with what it is sent, and a client of it: for tests of how bodies are read, over a real socket.
package struct EchoServer {
  package let server: LoopbackServer
  package let client: NetworkClient

  package init(_ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) throws {
    server = try LoopbackServer()
    server.route("POST", "/echo") { .json($0.body) }
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, services: [])
    adjust(&configuration)
    client = NetworkClient(configuration)
  }

  package init(_ stages: Stages) throws { try self.init { $0.stages = stages } }

  package static func request(_ body: String, _ options: RequestOptions = RequestOptions()) -> Request {
    Request(
      .post, "/echo", body: body.isEmpty ? .empty : .data(Data(body.utf8), contentType: "application/json"),
      options: options)
  }

  /// What comes of a body where a type is asked for.
  package func read<Value: Decodable & Sendable>(
    _ body: String, as type: Value.Type, _ options: RequestOptions = RequestOptions()
  ) async -> SignalRecorder<Response<Value>, NetworkError> {
    let recorder = SignalRecorder(client.enqueue(request: Self.request(body, options), resultType: type))
    await recorder.waitForEnd()
    return recorder
  }
}
