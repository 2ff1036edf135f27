import Testing

// Plain functions for what tests ask most: a call of a macro costs the compiler seven times as much, and there are thousands. The
// macros remain for `throws:` and exit tests. Few parameters and no autoclosure: each is code at every call.

/// Records an issue if the condition is false.
package func expect(
  _ condition: Bool, _ comment: Comment? = nil, filePath: String = #filePath, line: Int = #line
) {
  if !condition { record("the condition is false", comment, filePath, line) }
}

/// Records an issue with both values if they differ.
package func expectEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, _ comment: Comment? = nil, filePath: String = #filePath, line: Int = #line
) {
  guard value != expected else { return }
  record("\(String(reflecting: value)) is not \(String(reflecting: expected))", comment, filePath, line)
}

/// Records an issue with the value if there is one.
package func expectNil<Value>(
  _ value: Value?, _ comment: Comment? = nil, filePath: String = #filePath, line: Int = #line
) {
  if let value { record("\(String(reflecting: value)) is not nil", comment, filePath, line) }
}

/// Returns the value, or records an issue and ends the test if it is `nil`.
package func require<Value>(
  _ value: Value?, _ comment: Comment? = nil, filePath: String = #filePath, line: Int = #line
) throws -> Value {
  if let value { return value }
  record("the value is nil", comment, filePath, line)
  throw UnmetRequirement()
}

/// Records an issue and ends the test if the condition is false.
package func require(
  _ condition: Bool, _ comment: Comment? = nil, filePath: String = #filePath, line: Int = #line
) throws {
  guard !condition else { return }
  record("the condition is false", comment, filePath, line)
  throw UnmetRequirement()
}

/// The end of a test whose requirement is not met; the issue is recorded already.
private struct UnmetRequirement: Error {}

private func record(_ text: String, _ comment: Comment?, _ filePath: String, _ line: Int) {
  // The path is …/Tests/<module>/<folders>/<file>.
  let names = filePath.split(separator: "/")
  let module = names.lastIndex(of: "Tests").map { names[min($0 + 1, names.count - 1)] } ?? "Tests"
  let location = SourceLocation(
    fileID: "\(module)/\(names.last ?? "")", filePath: filePath, line: line, column: 1)
  Issue.record("\(text)\(comment.map { ": \($0.rawValue)" } ?? "")", sourceLocation: location)
}
