extension HTTPHeaders {
  /// The fields that a cache stores: without those for the connection and for proxies.
  ///
  /// RFC 9111 §3.1, RFC 9110 §7.6.1.
  var storable: HTTPHeaders {
    var named: [String] = []
    FieldList.forEach(in: self, "Connection") { named.append($0.lowered) }
    var result = self
    result.removeAll { field in
      Self.connectionFields.contains { $0.isEqualIgnoringCase(to: field.name) }
        || named.contains { $0.isEqualIgnoringCase(to: field.name) }
    }
    return result
  }

  /// Returns the fields that can be reused without validation: without those that a qualified `no-cache` names.
  ///
  /// RFC 9111 §5.2.2.4.
  func withoutFields(of control: CacheControl) -> HTTPHeaders {
    if control.noCacheFields.isEmpty { return self }
    var result = self
    result.removeAll { field in control.noCacheFields.contains { $0.isEqualIgnoringCase(to: field.name) } }
    return result
  }

  /// The fields that are never stored.
  private static let connectionFields = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
  ]
}
