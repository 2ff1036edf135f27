import Foundation

/// A request with the service that it goes to: what is looked up before anything is built.
struct ServiceRequest {
  let request: Request
  /// `nil` where the client's own base address counts.
  let service: (any Service)?
  let environment: EnvironmentStore.State
  /// Whether it goes to an address that is none of the service's: an absolute one is often a server's word.
  private let isForeign: Bool

  init(_ request: Request, _ service: (any Service)?, _ environment: EnvironmentStore.State) {
    self.request = request
    self.service = service
    self.environment = environment
    isForeign = service.map { ServiceRequest.isForeign(request, $0, environment) } ?? false
  }

  /// The service if what it adds may go out with the request: header fields, parameters, a signature.
  ///
  /// Requirement P13.
  var adding: (any Service)? { isForeign ? nil : service }

  /// The signer of the request; `nil` if it is not signed, as every cross-origin request.
  var signer: (any Signer)? {
    guard request.options.isSigned, !isForeign else { return nil }
    return request.options.signer ?? service?.signer
  }

  private static func isForeign(
    _ request: Request, _ service: any Service, _ environment: EnvironmentStore.State
  ) -> Bool {
    guard request.path.contains("://"), let origin = URL(string: request.path)?.origin else { return false }
    var own = [environment.customAddress]
    if case .own(let address) = request.options.address { own.append(address) }
    if let addresses = service.addresses(in: environment.environment) {
      own += [addresses.main, addresses.vice, addresses.cdn]
    }
    return !own.contains { $0?.origin == origin }
  }

  /// What a relative path is below; `nil` if there is nothing.
  func base(or baseURL: URL?) throws(NetworkError) -> URL? {
    if case .own(let url) = request.options.address { return url }
    guard let service else { return baseURL }
    if environment.environment == .custom, let url = environment.customAddress { return url }
    guard let addresses = service.addresses(in: environment.environment) else {
      throw NetworkError(
        .client, .noAddress, reason: "\(service.id) has no address in the environment \(environment.environment)")
    }
    return addresses.url(request.options.address)
  }

  /// The common parameters that the request selects, in order.
  func common() throws(NetworkError) -> [CommonParameters] {
    if isForeign { return [] }
    guard let service else {
      guard let name = request.options.common?.first else { return [] }
      throw unknown(name)
    }
    let sets = service.common
    if sets.isEmpty, request.options.common == nil { return [] }
    var result: [CommonParameters] = []
    for name in request.options.common ?? service.usualCommon {
      guard let set = sets.last(where: { $0.name == name }) else { throw unknown(name) }
      result.append(set)
    }
    return result
  }

  private func unknown(_ name: CommonParameters.Name) -> NetworkError {
    let owner = service.map { "the service \($0.id)" } ?? "a request without a service"
    return NetworkError(
      .client, .unknownCommonParameters, reason: "\(owner) has no common parameters \(name.rawValue.debugDescription)")
  }

  /// Whether plain http is allowed.
  func allowsPlainHTTP(or isAllowed: Bool) -> Bool {
    service?.allowsPlainHTTP(in: environment.environment) ?? isAllowed
  }
}
