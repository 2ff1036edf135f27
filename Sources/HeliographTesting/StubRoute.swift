public import Foundation
public import Heliograph

/// A route of a stub: conditions, and the answers to matching requests.
struct StubRoute: Sendable {
  enum Answers: Sendable {
    case answers([StubAnswer])
    case computed(@Sendable (HTTPRequest) -> StubAnswer)
  }

  private let method: HTTPMethod
  private let path: String
  private let query: [String: String]
  private let headers: HTTPHeaders
  private let body: (@Sendable (Data) -> Bool)?
  private var answers: Answers
  /// Identifies routes with a closure, which cannot be compared.
  private let identity = RouteIdentity()

  init(
    _ method: HTTPMethod, _ path: String, _ query: [String: String], _ headers: HTTPHeaders,
    _ body: (@Sendable (Data) -> Bool)?, _ answers: Answers
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.answers = answers
  }

  var conditionCount: Int { query.count + headers.count + (body == nil ? 0 : 1) }

  func hasConditions(of other: StubRoute) -> Bool {
    if body != nil || other.body != nil { return identity === other.identity }
    return method == other.method && path == other.path && query == other.query && headers == other.headers
  }

  func matches(_ request: HTTPRequest) -> Bool {
    guard request.method == method, matchesPath(of: request.url) else { return false }
    if !query.isEmpty {
      let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
      guard query.allSatisfy({ name, value in items.contains { $0.name == name && $0.value == value } }) else {
        return false
      }
    }
    guard headers.allSatisfy({ request.headers.values(for: $0.name).contains($0.value) }) else { return false }
    return body?(request.bodyData) ?? true
  }

  /// Compares segment by segment, as a server does: an escaped slash is a part of its segment.
  private func matchesPath(of url: URL) -> Bool {
    let segments = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false)
    let expected = path.split(separator: "/", omittingEmptySubsequences: false)
    return segments.count == expected.count
      && zip(segments, expected).allSatisfy { $0 == $1 || $1 == "*" || $0.removingPercentEncoding == String($1) }
  }

  /// Returns the next answer; the last one repeats.
  mutating func takeAnswer() -> (@Sendable (HTTPRequest) -> StubAnswer)? {
    switch answers {
    case .computed(let compute): return compute
    case .answers(let list):
      guard let first = list.first else { return nil }
      if list.count > 1 { answers = .answers(Array(list.dropFirst())) }
      return { _ in first }
    }
  }
}

private final class RouteIdentity: Sendable {}

extension HTTPRequest {
  /// The body as bytes; empty for a stream and for an unreadable file.
  public var bodyData: Data {
    switch body {
    case .data(let data): data
    case .file(let url): (try? Data(contentsOf: url)) ?? Data()
    case .empty, .stream: Data()
    }
  }
}
