import Foundation
import Heliograph

/// A service with all addresses, two sets of common parameters, and whatever a test changes.
struct Bookshop: Service {
  var id: ServiceID = "books"
  var common = [
    CommonParameters("java", ["channel": 1, "device": "d"], headers: ["X-Set": "java"]),
    CommonParameters("php", ["device": "p", "token": "t"], headers: ["X-Set": "php"]),
  ]
  var defaultCommon: [CommonParameters.Name] = ["java"]
  var placement = ParameterPlacement.form
  var idleTimeout: Duration?
  var signer: (any Signer)?
  var filters: [any RequestFilter] = []
  var middleware: [any Middleware] = []
  var addresses: ServiceAddresses?
  var allowsInsecureHTTP = false

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    if let addresses { return addresses }
    if environment == .hotfix { return nil }
    guard let main = URL(string: "https://\(id)-\(environment).example.com/v1/") else { return nil }
    return ServiceAddresses(
      main, secondary: URL(string: "https://secondary-\(environment).example.com"),
      cdn: environment == .develop ? nil : URL(string: "https://cdn.example.com/assets"))
  }

  func allowsInsecureHTTP(in environment: ServiceEnvironment) -> Bool { allowsInsecureHTTP && environment != .release }
}

/// One that says nothing.
struct Plain: Service {
  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { nil }
}

extension RequestBuilder {
  /// A builder for services, with an environment that is kept in memory.
  static func knowing(_ services: any Service..., in environment: ServiceEnvironment = .test) -> RequestBuilder {
    var builder = RequestBuilder()
    builder.services = ServiceRegistry(services)
    builder.environments = EnvironmentStore(build: environment, storage: MemoryStorage())
    return builder
  }
}

extension HTTPRequest {
  var address: String { url.absoluteString }
  var text: String { if case .data(let data) = body { String(decoding: data, as: UTF8.self) } else { "" } }
}
