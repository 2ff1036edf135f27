import Foundation

/// The reason why a response is not stored, for developers.
enum StorageRefusal: String, Sendable, Hashable {
  case noStore = "the response has no-store"
  case requestNoStore = "the request has no-store"
  case methodNotCacheable = "the method is not GET"
  /// The status is not final, or depends on more than URL and method.
  case statusNotCacheable = "responses with this status are not stored"
  /// Responses with this status have no freshness lifetime of their own.
  case statusNeedsFreshness = "responses with this status are stored only with max-age, Expires, public or private"
  case unsupportedStatusWithMustUnderstand = "the response has must-understand, and its status is unknown"
  /// The response is immediately stale, and has no validator.
  case noFreshnessAndNoValidator = "the response has neither a validator nor a freshness lifetime beyond its age"
  case noCacheAndNoValidator = "the response has no-cache and no validator"
  /// The response matches no other request.
  case varyStar = "the response has Vary: *"
  case invalidContentRange = "the partial response has no valid Content-Range"
}

/// Rules about which responses are stored: RFC 9111 §3.
enum Storability {
  /// Returns the reason why a response, as received, must not or need not be stored; `nil` if it can be stored.
  static func refusal(of method: HTTPMethod, requestHeaders: HTTPHeaders, response: CachedHead) -> StorageRefusal? {
    if method != .get { return .methodNotCacheable }
    if CacheControl(requestHeaders).noStore { return .requestNoStore }
    let (control, status) = (response.cacheControl, response.statusCode)
    // For caches that understand the status, `must-understand` replaces `no-store` (RFC 9111 §5.2.2.3).
    if control.mustUnderstand, !understoodStatuses.contains(status) { return .unsupportedStatusWithMustUnderstand }
    if control.forbidsStorage { return .noStore }
    guard (200..<600).contains(status), !excludedStatuses.contains(status) else { return .statusNotCacheable }
    if VaryFields(response: response.headers) == nil { return .varyStar }
    if status == 206, ContentRange(response.headers) == nil { return .invalidContentRange }
    let hasExplicitFreshness = control.maxAge != .absent || response.headers.contains("Expires")
    guard
      hasExplicitFreshness || control.isPublic || control.isPrivate || CachedHead.heuristicStatuses.contains(status)
    else { return .statusNeedsFreshness }
    if isUseful(response, control) { return nil }
    return control.noCache ? .noCacheAndNoValidator : .noFreshnessAndNoValidator
  }

  /// Returns whether a stored response can ever be used: after validation, while it is fresh, or as a stale response.
  private static func isUseful(_ response: CachedHead, _ control: CacheControl) -> Bool {
    if response.hasValidator { return true }
    if control.noCache { return false }
    let lifetime = response.lifetime(under: control)
    if let lifetime, lifetime > response.age(at: response.receivedAt) { return true }
    if control.mustRevalidate { return false }
    return lifetime != nil || control.staleWhileRevalidate.isValid || control.staleIfError.isValid
  }

  /// The statuses whose caching rules are known: those of RFC 9110 §15, except those never stored.
  private static let understoodStatuses: Set<Int> = [
    200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410,
    411, 413, 414, 415, 422, 426, 500, 501, 502, 503, 504, 505,
  ]

  /// The final statuses that are never stored.
  ///
  /// 304 belongs to a stored response; 407, 421 and 511 concern the connection (RFC 6585 §6); 412, 416 and 417 depend
  /// on request fields that no `Vary` names; RFC 6585 excludes 428, 429 and 431.
  private static let excludedStatuses: Set<Int> = [304, 407, 412, 416, 417, 421, 428, 429, 431, 511]
}

extension CacheControl.Age {
  fileprivate var isValid: Bool { self != .absent && self != .invalid }
}

extension HTTPHeaders {
  /// The fields that a cache stores: without those for connection and proxies (RFC 9111 §3.1, RFC 9110 §7.6.1).
  var storable: HTTPHeaders {
    var names = Self.connectionFields
    FieldList.forEach(in: self, "Connection") { if let name = $0.loweredToken { names.insert(name) } }
    return without(names)
  }

  /// Returns the fields that need no validation: without those that a qualified `no-cache` names (RFC 9111 §5.2.2.4).
  func withoutFields(of control: CacheControl) -> HTTPHeaders {
    control.noCacheFields.isEmpty ? self : without(control.noCacheFields)
  }

  /// Returns the fields whose names are not in a set, which is in lower case; a server may send thousands of fields,
  /// and name thousands of them.
  private func without(_ names: Set<String>) -> HTTPHeaders {
    var result = self
    result.removeAll { field in
      // A few names are compared without a copy of the field's name.
      names.count <= 16
        ? names.contains { $0.isEqualIgnoringCase(to: field.name) }
        : field.name.isHTTPToken && names.contains(field.name.loweredASCII)
    }
    return result
  }

  /// The fields that are never stored.
  private static let connectionFields: Set = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
  ]
}

extension HTTPRequest {
  /// Returns a digest of the credentials for which a response is stored; empty without credentials.
  ///
  /// Credentials are the secret header fields of the request itself before signing, because a signature differs each
  /// time. In a client without accounts, the client's cookies are credentials as well.
  /// `sent` is `nil` if the header fields are not known yet.
  func credentialsDigest(sent: HTTPHeaders? = nil) -> String {
    var own = (context.unsignedFields ?? headers).credentials
    if let cache = context.cache, !cache.hasAccounts, let jar = binding.jar, headers["Cookie"] == nil,
      let value = sent.map({ $0["Cookie"] }) ?? jar.field(for: self)
    {
      own.append(["cookie", value])
    }
    if own.isEmpty { return "" }
    var text = ""
    for field in own { for part in field { text.appendComponent(part) } }
    return SHA256.hash(Data(text.utf8)).hexadecimal
  }

  /// Returns the reason not to store a response for this request; `nil` if there is none.
  ///
  /// Middleware or cookies below the cache may have changed its method, URL, `Host` field, body, redirects or
  /// credentials.
  func difference(from sent: HTTPRequest) -> String? {
    let ignored = context.cache?.ignoredParameters ?? []
    let isSame =
      sent.method == method && sent.body == body && sent.redirects == redirects
      && sent.headers["Host"] == headers["Host"]
      && sent.url.cacheAddress(ignoring: ignored) == url.cacheAddress(ignoring: ignored)
    if !isSame { return "middleware changed its method, URL, Host field, body or redirects" }
    if context.cache?.hasAccounts == true || sent.headers.hasSameStorage(as: headers) { return nil }
    var (added, own) = (sent.headers.credentials, headers.credentials)
    if binding.jar != nil {
      // Cookies are compared at the lookup.
      added.removeAll { $0.first == "cookie" }
      own.removeAll { $0.first == "cookie" }
    }
    let names = added.difference(from: own).compactMap { change in
      switch change {
      case .insert(_, let field, _), .remove(_, let field, _): field.first?.singleLine
      }
    }
    // A name may only look like that of a credential, so the developer must learn it.
    let text = Set(names).sorted().joined(separator: ", ")
    return text.isEmpty ? nil : "middleware has added credentials (\(text)), and the client has no accounts"
  }
}

extension HTTPHeaders {
  /// The names, in lower case, and values of the fields that logs redact, in the order of the names.
  package var credentials: [[String]] {
    let fields = filter(\.isSecret).map { [$0.name.loweredASCII, $0.value] }
    return fields.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
