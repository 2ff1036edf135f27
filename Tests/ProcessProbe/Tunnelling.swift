import Foundation
import Heliograph
import Signals

/// Sends one request over `URLSession`, prints "head" and the status of each head that is delivered, and then its
/// outcome: "ok", or domain and code.
///
/// Arguments: address.
struct Tunnelling {
  private let request: HTTPRequest

  init(_ arguments: [String]) throws {
    request = HTTPRequest(url: try arguments.url(0), idleTimeout: .seconds(20))
  }

  func run() async {
    do throws(NetworkError) {
      for try await event in URLSessionTransport().send(request).values {
        if case .head(let head) = event { print("head", head.statusCode) }
      }
      print("ok")
    } catch {
      print(error.domain, error.code)
    }
  }
}
