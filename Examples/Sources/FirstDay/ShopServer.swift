import Foundation
import Heliograph
import HeliographTesting
import Synchronization

/// A small shop on 127.0.0.1, so that the example needs no network.
final class ShopServer: Sendable {
  private let server: LoopbackServer
  private let tokens = Tokens()

  var baseURL: URL { server.baseURL }
  var refreshCount: Int { tokens.refreshCount }

  // Routes do not retain the server, which would prevent its stop.
  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/users/7") { _ in .json(#"{"id": 7, "name": "Ada"}"#) }
    server.route("POST", "/token") { [tokens] in
      $0.bodyText.contains("lovelace") ? .token(tokens.issue()) : .status(401)
    }
    server.route("POST", "/token/refresh") { [tokens] request in
      request.bodyText.contains(Tokens.refreshToken) ? .token(tokens.refresh()) : .status(401)
    }
    server.route("GET", "/products") { [tokens] request in
      tokens.accept(request)
        ? .json(#"[{"id": 1, "name": "Lamp", "addedAt": "2026-11-22T08:30:00.250Z"}]"#) : .status(401)
    }
    server.route("POST", "/orders") { [tokens] request in
      tokens.accept(request) ? .json(#"{"id": 99}"#, status: 201) : .status(401)
    }
    server.route("POST", "/products/1/photos") { [tokens] in .status(tokens.accept($0) ? 204 : 401) }
  }
}

/// The token of the shop's customer.
private final class Tokens: Sendable {
  private struct State {
    var token = ""
    var refreshCount = 0
  }

  static let refreshToken = "ada-1815"
  private let state = Mutex(State())

  var refreshCount: Int { state.withLock { $0.refreshCount } }

  /// Returns a token that has expired by the time that it is used.
  func issue() -> String {
    state.withLock { state in
      state.token = "stale"
      return state.token
    }
  }

  func refresh() -> String {
    state.withLock { state in
      state.refreshCount += 1
      state.token = "fresh-\(state.refreshCount)"
      return state.token
    }
  }

  /// Returns whether a request has the current token.
  func accept(_ request: LoopbackRequest) -> Bool {
    let token = state.withLock { $0.token }
    return token != "stale" && request.header("Authorization") == "Bearer \(token)"
  }
}

extension LoopbackResponse {
  fileprivate static func token(_ token: String) -> LoopbackResponse {
    .json(#"{"token": "\#(token)", "refreshToken": "\#(Tokens.refreshToken)"}"#)
  }
}
