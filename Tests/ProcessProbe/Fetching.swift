import Foundation
import Heliograph
import Signals

/// Sends one request and prints its status, or the code of its failure.
///
/// Arguments: address, file of authorities, for the client's certificate two files, the second of which is the key, a pin, and
/// `environment` for the environment's proxy; empty ones count as none.
struct Fetching {
  private let url: URL
  private let settings: TransportSettings

  init(_ arguments: [String]) throws {
    url = try arguments.url(0)
    var settings = TransportSettings()
    settings.proxy = arguments.last == "environment" ? .environment : .direct
    let authorities = try arguments.text(1)
    if !authorities.isEmpty { settings.trust.authorities = URL(fileURLWithPath: authorities) }
    if arguments.count > 4, !arguments[4].isEmpty { settings.trust.pinnedKeys = ["*": [arguments[4]]] }
    if arguments.count > 3, !arguments[2].isEmpty {
      settings.trust.identities["*"] = Trust.Identity(
        certificate: URL(fileURLWithPath: arguments[2]), key: URL(fileURLWithPath: arguments[3]))
    }
    self.settings = settings
  }

  func run() async throws {
    // What asks at a terminal finds none, and has to be content with the input.
    setsid()
    do throws(NetworkError) {
      let client = NetworkClient(.init(transport: try CurlTransport(settings)))
      let response = try await client.exchange(request: url).first()
      print(response?.statusCode ?? 0)
    } catch {
      print(error.domain, error.code)
    }
  }
}
