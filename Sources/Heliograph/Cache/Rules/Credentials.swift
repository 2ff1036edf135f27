import Foundation

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
  /// Middleware or cookies below the cache may have changed its method, URL, `Host` field, body or credentials.
  func difference(from sent: SendLog.Sent) -> String? {
    let ignored = context.cache?.ignoredParameters ?? []
    let isSame =
      sent.method == method && sent.body == body && sent.fields["Host"] == headers["Host"]
      && sent.url.cacheAddress(ignoring: ignored) == url.cacheAddress(ignoring: ignored)
    if !isSame { return "middleware changed its method, URL, Host field or body" }
    if context.cache?.hasAccounts == true { return nil }
    var (added, own) = (sent.fields.credentials, headers.credentials)
    if binding.jar != nil {
      // Cookies are compared at the lookup.
      added.removeAll { $0.first == "cookie" }
      own.removeAll { $0.first == "cookie" }
    }
    return added == own ? nil : "middleware has added credentials, and the client has no accounts"
  }
}

extension HTTPHeaders {
  /// The names, in lower case, and values of the secret fields, in the order of the names.
  fileprivate var credentials: [[String]] {
    let names = HTTPHeaders.secretNames
    var fields: [[String]] = []
    for field in self {
      let name = field.name.loweredASCII
      if names.contains(name) { fields.append([name, field.value]) }
    }
    return fields.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
