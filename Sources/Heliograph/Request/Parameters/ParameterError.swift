/// The reason why parameters cannot be encoded, with the path of the invalid value.
struct ParameterError: Error {
  private(set) var path: String
  let reason: String
  let underlying: (any Error)?

  init(_ reason: String, path: String = "", underlying: (any Error)? = nil) {
    self.path = path
    self.reason = reason
    self.underlying = underlying
  }

  init(_ reason: String, path: [any CodingKey], underlying: (any Error)? = nil) {
    self.init(reason, underlying: underlying)
    for key in path.reversed() { self = inside(key.intValue.map { "[\($0)]" } ?? key.stringValue) }
  }

  /// Returns the error with its path extended at the front.
  func inside(_ step: String) -> ParameterError {
    let subpath = path.isEmpty || path.hasPrefix("[") ? path : ".\(path)"
    return ParameterError(reason, path: step + subpath, underlying: underlying)
  }

  var networkError: NetworkError {
    let location = path.isEmpty ? "the parameters" : path
    return NetworkError(.invalidParameters, reason: "\(location): \(reason)", underlying: underlying)
  }

  static let notFinite = "NaN and infinity cannot be written"
  static let tooDeep = "nested deeper than \(ParameterRules.maximumDepth) levels"
}
