/// The reason why parameters cannot be encoded, with the path of the invalid value.
struct ParameterRefusal: Error {
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

  /// Returns the same failure with its path extended by an outer step.
  func inside(_ step: String) -> ParameterRefusal {
    let rest = path.isEmpty || path.hasPrefix("[") ? path : ".\(path)"
    return ParameterRefusal(reason, path: step + rest, underlying: underlying)
  }

  var error: NetworkError {
    let place = path.isEmpty ? "the parameters" : path
    return NetworkError(.invalidParameters, reason: "\(place): \(reason)", underlying: underlying)
  }

  static let notFinite = "NaN and infinity cannot be written"
  static let tooDeep = "nested deeper than \(ParameterRules.maximumDepth) levels"
}
