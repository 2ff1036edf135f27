public import Foundation
public import Heliograph

/// Routes whose path is a string variable.
extension StubTransport {
  /// Sets the answers of a route whose path is a string variable, decoded or as sent; it is not escaped.
  @_disfavoredOverload
  public func on(
    _ method: HTTPMethod, _ path: some StringProtocol, query: [String: String] = [:], headers: HTTPHeaders = [:],
    body: (@Sendable (Data) -> Bool)? = nil, _ answers: StubAnswer...
  ) {
    add(StubRoute(method, RoutePath(String(path), query: query), headers, body, .scripted(answers)))
  }

  /// Sets the computed answers of a route whose path is a string variable, decoded or as sent; it is not escaped.
  @_disfavoredOverload
  public func on(
    _ method: HTTPMethod, _ path: some StringProtocol, query: [String: String] = [:], headers: HTTPHeaders = [:],
    body: (@Sendable (Data) -> Bool)? = nil, answer: @escaping @Sendable (HTTPRequest) throws -> StubAnswer
  ) {
    add(StubRoute(method, RoutePath(String(path), query: query), headers, body, .computed(answer)))
  }
}
