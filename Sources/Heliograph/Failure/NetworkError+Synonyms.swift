/// Codes by the names of `URLError`, and statuses by the names of RFC 9110 §15.5.
extension NetworkError.Code {
  /// The same as ``timedOut``.
  public static var timeout: NetworkError.Code { .timedOut }
  /// Network: the device has no network (NSURLErrorNotConnectedToInternet); see ``NetworkError/isOffline``.
  public static var notConnectedToInternet: NetworkError.Code { -1009 }
  /// The same as ``connectionLost``, by its name in `URLError`.
  public static var networkConnectionLost: NetworkError.Code { .connectionLost }
  /// The same as ``cannotConnect``, by its name in `URLError`.
  public static var cannotConnectToHost: NetworkError.Code { .cannotConnect }
  /// Server: the status 401; see ``NetworkError/isUnauthorized``.
  public static var unauthorized: NetworkError.Code { 401 }
  /// Server: the status 403.
  public static var forbidden: NetworkError.Code { 403 }
  /// Server: the status 404.
  public static var notFound: NetworkError.Code { 404 }
}
