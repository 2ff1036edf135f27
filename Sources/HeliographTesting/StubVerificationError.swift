/// What ``StubTransport/verify(unusedRoutes:)`` has found.
public struct StubVerificationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One line for each unexpected request, with the nearest route, and for each route with unused answers.
  public let problems: [String]

  /// Creates an error from its problems.
  public init(problems: [String]) {
    self.problems = problems
  }

  /// The problems, one on each line.
  public var description: String { problems.joined(separator: "\n") }
}
