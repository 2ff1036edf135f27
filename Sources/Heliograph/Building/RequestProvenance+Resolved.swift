extension RequestProvenance {
  /// Creates the provenance of a request with the client's header fields.
  init(_ resolved: ResolvedRequest, _ fields: HTTPHeaders, of allFields: HTTPHeaders) {
    base = Base(resolved)
    if let service = resolved.service {
      self.service = service.id.rawValue
      environment = resolved.environment.environment.rawValue
    }
    addsClient = resolved.isOwn
    addsService = resolved.originTrust == .own
    if fields.count < allFields.count { omittedFields = allFields.map(\.name).filter { fields[$0] == nil } }
    record(fields, after: .client)
  }
}

extension RequestProvenance.Base {
  /// Creates the origin of a request's URL; see ``ResolvedRequest/base(or:)``.
  fileprivate init(_ resolved: ResolvedRequest) {
    // The options are read in place, because a constant would be a copy.
    if resolved.request.hasAbsolutePath {
      self = .absolute
    } else if case .custom = resolved.request.options.address {
      self = .options
    } else if resolved.service == nil {
      self = .client
    } else if resolved.environment.environment == .custom, resolved.environment.customAddress != nil {
      self = .environment
    } else {
      self = .service(RequestProvenance.AddressName(resolved.request.options.address))
    }
  }
}

extension RequestProvenance.AddressName {
  fileprivate init(_ kind: AddressKind) {
    switch kind {
    case .main, .custom: self = .main
    case .secondary: self = .secondary
    case .cdn: self = .cdn
    }
  }
}
