import Foundation
public import Heliograph

/// A route of a stub: conditions, and the answers to matching requests.
struct StubRoute: Sendable {
  enum Answers: Sendable {
    case scripted([StubAnswer])
    case computed(@Sendable (HTTPRequest) throws -> StubAnswer)
  }

  let method: HTTPMethod
  private let path: RoutePath
  private let headers: HTTPHeaders
  private let body: (@Sendable (Data) -> Bool)?
  private let answers: Answers
  /// The number of matching requests so far.
  private(set) var callCount = 0
  let identity = RouteIdentity()

  init(
    _ method: HTTPMethod, _ path: RoutePath, _ headers: HTTPHeaders, _ body: (@Sendable (Data) -> Bool)?,
    _ answers: Answers
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
    self.answers = answers
  }

  /// The specificity of the route: conditions first, then literal segments.
  var specificity: (Int, Int) {
    (path.conditionCount + headers.count + (body == nil ? 0 : 1), path.literalCount + (method == "*" ? 0 : 1))
  }

  func hasConditions(of other: StubRoute) -> Bool {
    // Closures cannot be compared.
    if body != nil || other.body != nil { return identity === other.identity }
    return method == other.method && path == other.path && headers == other.headers
  }

  /// Returns whether the route matches a request with its own method, or with `GET` for `HEAD`.
  func matches(_ request: HTTPRequest, as sent: HTTPMethod, at target: RouteTarget) -> Bool {
    guard method == "*" || sent == method, path.matches(target) else { return false }
    guard headers.allSatisfy({ request.headers.values(for: $0.name).contains($0.value) }) else { return false }
    return body?(request.bodyData) ?? true
  }

  /// Returns the reasons why a request does not match.
  func differences(from request: HTTPRequest, at target: RouteTarget) -> [RouteDifference] {
    var differences: [RouteDifference] = []
    if method != "*", request.method != method {
      differences.append(RouteDifference(text: "the method is \(request.method), not \(method)"))
    }
    differences += path.differences(from: target)
    for field in headers where !request.headers.values(for: field.name).contains(field.value) {
      let found = request.headers.first { $0.name.isEqualIgnoringCase(to: field.name) }
      let text = found.map { "the header has \($0), not \(field)" } ?? "the header lacks \(field)"
      differences.append(RouteDifference(text: text))
    }
    if let body, !body(request.bodyData) {
      let text = "the condition on the body is false for \(request.body)\(request.shownBody)"
      differences.append(RouteDifference(text: text))
    }
    if differences.isEmpty { differences.append(RouteDifference(text: "it has no answers")) }
    return differences
  }

  /// Takes the next answer; the last one repeats.
  mutating func takeAnswer() -> (@Sendable (HTTPRequest) throws -> StubAnswer)? {
    switch answers {
    case .computed(let compute):
      callCount += 1
      return compute
    case .scripted(let list):
      guard let last = list.last else { return nil }
      let answer = callCount < list.count ? list[callCount] : last
      callCount += 1
      return { _ in answer }
    }
  }

  /// A description of the unused answers at the end of a test; `nil` if all were used.
  var unusedDescription: String? {
    if callCount == 0 {
      if case .scripted(let list) = answers, list.isEmpty { return nil }
      return "\(self) was not requested"
    }
    guard case .scripted(let list) = answers, callCount < list.count else { return nil }
    return "\(self) has \(list.count) answers and was requested \(callCount == 1 ? "once" : "\(callCount) times")"
  }
}

extension StubRoute: CustomStringConvertible {
  /// The method, the path and the further conditions.
  var description: String {
    let conditions = headers.map { "\($0)" } + (body == nil ? [] : ["a condition on the body"])
    return "\(method.rawValue.singleLine) \(path.displayText)"
      + (conditions.isEmpty ? "" : " with \(conditions.joined(separator: ", "))")
  }
}

extension HTTPRequest {
  /// The beginning of the body without secrets, after a colon; empty if it is not text.
  fileprivate var shownBody: String {
    let data = bodyData
    guard !data.isEmpty, String(validating: data, as: UTF8.self) != nil else { return "" }
    return ": " + CassetteText.text(data, headers["Content-Type"]).singleLine.shortened(to: 200)
  }
}

final class RouteIdentity: Sendable {}

/// The problems found by ``StubTransport/verify(unusedRoutes:)``.
package struct StubVerificationError: Error, CustomStringConvertible {
  /// One line for each unexpected request, with the nearest route, and for each route with unused answers.
  package let problems: [String]

  package var description: String { problems.joined(separator: "\n") }
}

extension NetworkError.Code {
  /// Client: a ``StubTransport`` or ``CassetteTransport`` has no answer for the request.
  public static let unexpectedRequest = NetworkError.Code(.client, 690)
}
