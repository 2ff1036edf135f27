import Foundation

/// A request with the service that it goes to: what is looked up before anything is built.
struct ResolvedRequest {
  /// How far what is added to requests may go: what to add depends on where it leads.
  enum Reach: Int {
    /// The address is of none of the client's own origins.
    case crossOrigin
    /// It is of one of the client's own origins, but of none of the service's.
    case client
    /// It is of one of the service's, or of the client's where the request names no service.
    case own
  }

  let request: Request
  /// `nil` where the client's own base address counts.
  let service: (any Service)?
  let environment: EnvironmentStore.State
  let reach: Reach

  /// Makes it.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - service: the service that it names.
  ///   - environment: the environment.
  ///   - builder: knows the client's own origins.
  init(
    _ request: Request, _ service: (any Service)?, _ environment: EnvironmentStore.State, _ builder: RequestBuilder
  ) {
    self.request = request
    self.service = service
    self.environment = environment
    // What is below the service's or the client's own address needs no look.
    reach = request.namedAddress.map { builder.reach(of: $0, service, environment) } ?? .own
  }

  /// The service if what it adds may go out with the request: header fields, parameters, a signature.
  var adding: (any Service)? { reach == .own ? service : nil }

  /// Whether what the client adds may go out with the request: header fields, what filters and middleware add.
  var isOwn: Bool { reach != .crossOrigin }

  /// The signer of the request; `nil` if it is not signed, as every cross-origin request.
  var signer: (any Signer)? {
    guard request.options.isSigned, isOwn else { return nil }
    return request.options.signer ?? adding?.signer
  }

  /// What a relative path is below; `nil` if there is nothing.
  func base(or baseURL: URL?) throws(NetworkError) -> URL? {
    if case .custom(let url) = request.options.address { return url }
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
    guard let service else {
      guard let name = request.options.common?.first else { return [] }
      throw unknown(name)
    }
    if adding == nil { return [] }
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

  /// Whether plain http is allowed: to the service's addresses as it says, to others as the client says.
  func allowsInsecureHTTP(or isAllowed: Bool) -> Bool {
    adding?.allowsInsecureHTTP(in: environment.environment) ?? isAllowed
  }
}

extension Request {
  /// The address that it names itself; `nil` if it is below one of its service's or its client's.
  fileprivate var namedAddress: String? {
    if path.text.namesHTTP { return path.text }
    if case .custom(let url) = options.address { return url.absoluteString }
    return nil
  }
}

extension String {
  /// Whether it begins with `http:` or `https:`; with any other scheme no address is built.
  fileprivate var namesHTTP: Bool {
    var bytes = utf8.makeIterator()
    for letter in "http".utf8 {
      guard let byte = bytes.next(), byte | 0x20 == letter else { return false }
    }
    var next = bytes.next()
    if let byte = next, byte | 0x20 == UInt8(ascii: "s") { next = bytes.next() }
    return next == UInt8(ascii: ":")
  }
}
