/// What ``StubTransport/verify(unusedRoutes:)`` has found.
package struct StubVerificationError: Error, CustomStringConvertible {
  /// One line for each unexpected request, with the nearest route, and for each route with unused answers.
  package let problems: [String]

  /// The problems, one on each line.
  package var description: String { problems.joined(separator: "\n") }
}
