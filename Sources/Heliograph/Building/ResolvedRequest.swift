import Foundation

/// A request with its service, resolved before the request is built.
final class ResolvedRequest: Sendable {
  /// The trust level of the address, which decides what is added to the request.
  enum OriginTrust: Int {
    /// The address has none of the client's own origins.
    case crossOrigin
    /// The address has one of the client's own origins, but none of the service's.
    case client
    /// The address has an origin of the service, or of the client if the request names no service.
    case own
  }

  let request: Request
  /// The service; `nil` if the client's own base URL applies.
  let service: (any Service)?
  /// Whether there is a service; cheaper to read than ``service``, which is copied as an existential.
  let hasService: Bool
  let environment: EnvironmentStore.State
  let originTrust: OriginTrust
  /// The cache policy of the request, of its service or of the client.
  let cachePolicy: CachePolicy
  /// Whether the policy is that of the service or client, which applies to safe methods only.
  let inheritsCachePolicy: Bool

  init(
    _ request: Request, _ service: consuming (any Service)?, _ environment: EnvironmentStore.State,
    _ originTrust: OriginTrust, inheriting inherited: CachePolicy
  ) {
    self.request = request
    self.environment = environment
    self.originTrust = originTrust
    // The policy of the service or the client applies to safe methods only: a second order must not get the stored
    // response to the first. A signer of the request's own may have the key of another user.
    let inherits = inherited.isActive && request.method.isSafe && request.options.signer == nil
    cachePolicy = request.options.cache.or(inherits ? inherited : .none)
    inheritsCachePolicy = request.options.cache.mode == .inherited
    hasService = service != nil
    self.service = service
  }

  /// Whether the service's additions may be sent with the request: header fields, parameters, a signature.
  var hasAdditions: Bool { hasService && originTrust == .own }

  /// Returns a setting of the service; `nil` without a service.
  @inline(__always)
  func ofService<Setting>(_ setting: (any Service) -> Setting?) -> Setting? {
    guard hasService, let service else { return nil }
    return setting(service)
  }

  /// Whether the client's additions may be sent with the request: its header fields and those set by filters and
  /// middleware.
  var isOwn: Bool { originTrust != .crossOrigin }

  /// The signer of the request; `nil` if it is unsigned.
  ///
  /// That of the request itself signs the URL that the request names, as its header fields are sent there. That of the
  /// service signs where the service's additions are sent.
  var signer: (any Signer)? {
    guard request.options.isSigned else { return nil }
    return request.options.signer ?? (hasAdditions ? service?.signer : nil)
  }

  /// Returns the signer to run without a network, because its additions are part of the cache key; `nil` for none.
  ///
  /// Never an ``HMACSigner``: the key ignores its fields, or they differ in each request.
  func keySigner(isStreamed: Bool) -> (any Signer)? {
    guard cachePolicy.isActive, !isStreamed, let signer, !(signer is HMACSigner) else { return nil }
    return signer
  }

  var isSignedByService: Bool { request.options.isSigned && request.options.signer == nil && hasAdditions }

  /// The parameters that the service's ``HMACSigner`` adds to the query of the requests it signs, which differ in each;
  /// empty for other signers, whose parameters may distinguish users.
  var signatureParameters: Set<String> {
    guard hasService, let signer = service?.signer as? HMACSigner, signer.location == .query else { return [] }
    return Set(signer.names.all)
  }

  /// Returns the base URL of a relative path; `nil` if there is none.
  func base(or baseURL: URL?) throws(NetworkError) -> URL? {
    if case .custom(let url) = request.options.address { return url }
    guard hasService, let service else { return baseURL }
    if environment.environment == .custom, let url = environment.customAddress { return url }
    guard let addresses = service.addresses(in: environment.environment) else {
      throw NetworkError(
        .noAddress, reason: "\(service.id) has no address in the environment \(environment.environment)")
    }
    return switch request.options.address {
    case .main, .custom: addresses.main
    case .secondary: addresses.secondary ?? addresses.main
    case .cdn: addresses.cdn ?? addresses.main
    }
  }

  func commonParameters() throws(NetworkError) -> [CommonParameters] {
    guard hasService, let service else {
      guard let name = request.options.common?.first else { return [] }
      throw unknown(name)
    }
    if !hasAdditions { return [] }
    let sets = service.common
    if sets.isEmpty, request.options.common == nil { return [] }
    var result: [CommonParameters] = []
    for name in request.options.common ?? service.defaultCommon {
      guard let set = sets.last(where: { $0.name == name }) else { throw unknown(name) }
      result.append(set)
    }
    return result
  }

  private func unknown(_ name: CommonParameters.Name) -> NetworkError {
    let owner = service.map { "the service \($0.id)" } ?? "a request without a service"
    return NetworkError(
      .unknownCommonParameters, reason: "\(owner) has no common parameters named \(name.rawValue.debugDescription)")
  }
}

extension Request {
  /// The absolute address in the request itself; `nil` if its address is relative to that of its service or client.
  var namedAddress: String? {
    if path.text.hasHTTPScheme { return path.text }
    if case .custom(let url) = options.address { return url.absoluteString }
    return nil
  }
}

extension String {
  /// Whether the text begins with `http:` or `https:`; no URL is built with any other scheme.
  var hasHTTPScheme: Bool {
    var bytes = utf8.makeIterator()
    for letter in "http".utf8 {
      guard let byte = bytes.next(), byte | 0x20 == letter else { return false }
    }
    var next = bytes.next()
    if let byte = next, byte | 0x20 == UInt8(ascii: "s") { next = bytes.next() }
    return next == UInt8(ascii: ":")
  }
}

extension RequestProvenance {
  /// Creates the provenance of a request below the client's base URL.
  init(client fields: HTTPHeaders) {
    self.init(
      base: .client, service: nil, environment: nil, addsClient: true, addsService: true, clientFields: fields)
  }

  /// Creates the provenance of a request with the client's header fields.
  init(_ resolved: ResolvedRequest, _ fields: HTTPHeaders, of allFields: HTTPHeaders) {
    self.init(
      base: Base(resolved), service: resolved.ofService { $0.id.rawValue },
      environment: resolved.hasService ? resolved.environment.environment.rawValue : nil, addsClient: resolved.isOwn,
      addsService: resolved.originTrust == .own, clientFields: fields,
      omittedFields: fields.count < allFields.count ? allFields.map(\.name).filter { fields[$0] == nil } : [])
  }
}

extension RequestProvenance.Base {
  /// Creates the origin of a request's URL; see ``ResolvedRequest/base(or:)``.
  fileprivate init(_ resolved: ResolvedRequest) {
    // The options are read in place, because a constant would be a copy.
    if resolved.request.path.text.hasHTTPScheme {
      self = .absolute
    } else if case .custom = resolved.request.options.address {
      self = .options
    } else if !resolved.hasService {
      self = .client
    } else if resolved.environment.environment == .custom, resolved.environment.customAddress != nil {
      self = .environment
    } else {
      self = .service(resolved.request.options.address.description)
    }
  }
}
