/// An authentication challenge of a server: a scheme with its parameters (RFC 9110 §11.3).
struct AuthenticationChallenge {
  /// The scheme in lower case.
  let scheme: String
  /// The parameters by name in lower case, unquoted and unescaped; the first one of a repeated name.
  private(set) var parameters: [String: String] = [:]

  /// Parses all challenges in the values of `WWW-Authenticate`, each of which may contain several.
  static func all(in values: [String]) -> [AuthenticationChallenge] {
    var challenges: [AuthenticationChallenge] = []
    for value in values {
      FieldList.forEach(in: value) { element in
        let word = element.prefix { $0 != UInt8(ascii: "=") && !$0.isSpaceOrTab && $0 != UInt8(ascii: "\"") }
        var parameter = element
        let rest = element[word.endIndex...].trimmed
        if rest.first != UInt8(ascii: "=") {
          challenges.append(AuthenticationChallenge(scheme: word.lowered))
          parameter = rest
        }
        if let last = challenges.indices.last { challenges[last].add(parameter) }
      }
    }
    return challenges
  }

  /// Parses a header field that is a list of parameters, such as `Authentication-Info`.
  static func parameters(in value: String) -> [String: String] {
    var challenge = AuthenticationChallenge(scheme: "")
    FieldList.forEach(in: value) { challenge.add($0) }
    return challenge.parameters
  }

  private mutating func add(_ parameter: FieldBytes) {
    guard let (name, value) = parameter.parameter(), parameters[name] == nil else { return }
    parameters[name] = value
  }
}
