import Foundation
import Heliograph

/// A service with all addresses, two sets of common parameters, and whatever a test changes.
package struct Bookshop: Service {
  package var id: ServiceID = "books"
  package var common = [
    CommonParameters("java", ["channel": 1, "device": "d"], headers: ["X-Set": "java"]),
    CommonParameters("php", ["device": "p", "token": "t"], headers: ["X-Set": "php"]),
  ]
  package var defaultCommon: [CommonParameters.Name] = ["java"]
  package var placement = ParameterPlacement.form
  package var idleTimeout: Duration?
  package var signer: (any Signer)?
  package var filters: [any RequestFilter] = []
  package var middleware: [any Middleware] = []
  package var addresses: ServiceAddresses?
  package var allowsInsecureHTTP = false

  package init(
    id: ServiceID = "books", common: [CommonParameters]? = nil, defaultCommon: [CommonParameters.Name] = ["java"],
    placement: ParameterPlacement = .form, idleTimeout: Duration? = nil, signer: (any Signer)? = nil,
    filters: [any RequestFilter] = [], middleware: [any Middleware] = [], addresses: ServiceAddresses? = nil
  ) {
    self.id = id
    if let common { self.common = common }
    self.defaultCommon = defaultCommon
    self.placement = placement
    self.idleTimeout = idleTimeout
    self.signer = signer
    self.filters = filters
    self.middleware = middleware
    self.addresses = addresses
  }

  package func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    if let addresses { return addresses }
    if environment == .hotfix { return nil }
    guard let main = URL(string: "https://\(id)-\(environment).example.com/v1/") else { return nil }
    return ServiceAddresses(
      main, secondary: URL(string: "https://secondary-\(environment).example.com"),
      cdn: environment == .develop ? nil : URL(string: "https://cdn.example.com/assets"))
  }

  package func allowsInsecureHTTP(in environment: ServiceEnvironment) -> Bool {
    allowsInsecureHTTP && environment != .release
  }
}

/// One that says nothing.
package struct Plain: Service {
  package init() {}

  package func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { nil }
}

extension RequestBuilder {
  /// A builder for services, with an environment that is kept in memory.
  package static func knowing(_ services: any Service..., in environment: ServiceEnvironment = .test) -> RequestBuilder
  {
    var builder = RequestBuilder()
    builder.services = ServiceRegistry(services)
    builder.environments = EnvironmentStore(build: environment, storage: .memory())
    return builder
  }
}

extension HTTPRequest {
  package var address: String { url.absoluteString }
  package var text: String { if case .data(let data) = body { String(decoding: data, as: UTF8.self) } else { "" } }
}
