import Testing

/// Expects that nothing which prints a value shows some text.
package func expectHidden(_ text: String, in value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
  var dumped = ""
  dump(value, to: &dumped)
  for shown in [String(describing: value), String(reflecting: value), "\(value)", dumped] {
    #expect(!shown.isEmpty && !shown.contains(text), sourceLocation: sourceLocation)
  }
}
