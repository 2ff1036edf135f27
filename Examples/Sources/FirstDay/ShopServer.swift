import Foundation
import HeliographTesting
import Synchronization

/// A small shop on 127.0.0.1, so that the example needs no network.
final class ShopServer: Sendable {
  private struct State {
    var token = ""
    var refreshCount = 0
  }

  private let server: LoopbackServer
  private let state = Mutex(State())

  var baseURL: URL { server.baseURL }
  var refreshCount: Int { state.withLock { $0.refreshCount } }

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/users/7") { _ in .json(#"{"id": 7, "name": "Ada"}"#) }
    server.route("POST", "/token") { [self] in $0.bodyText.contains("lovelace") ? issue("stale") : .status(401) }
    server.route("POST", "/token/refresh") { [self] _ in
      let count = state.withLock { state in
        state.refreshCount += 1
        return state.refreshCount
      }
      return issue("fresh-\(count)")
    }
    server.route("GET", "/products") { [self] request in
      isSignedIn(request)
        ? .json(#"[{"id": 1, "name": "Lamp", "addedAt": "2026-11-22T08:30:00.250Z"}]"#) : .status(401)
    }
    server.route("POST", "/orders") { [self] in isSignedIn($0) ? .json(#"{"id": 99}"#, status: 201) : .status(401) }
    server.route("POST", "/products/1/photos") { [self] in .status(isSignedIn($0) ? 204 : 401) }
  }

  private func issue(_ token: String) -> LoopbackResponse {
    state.withLock { $0.token = token }
    return .json(#"{"token": "\#(token)"}"#)
  }

  /// The first token has expired by the time that it is used.
  private func isSignedIn(_ request: LoopbackRequest) -> Bool {
    let token = state.withLock { $0.token }
    return token != "stale" && request.header("Authorization") == "Bearer \(token)"
  }
}
