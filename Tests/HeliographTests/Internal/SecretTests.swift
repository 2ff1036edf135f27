import Testing

@testable import Heliograph

@Suite struct SecretTests {
  private struct Login {
    var user = "ann"
    var password = Secret("hunter2")
    var passwords = ["a": Secret("hunter2")]
  }

  @Test func isShownByNoDescriptionOrDump() {
    let secret = Secret("hunter2")
    #expect(secret.reveal() == "hunter2")
    #expect("\(secret)" == "<redacted>")
    expectHidden("hunter2", in: secret)
    expectHidden("hunter2", in: Login())
    expectHidden("hunter2", in: [Login()] as Any)
    expectHidden("hunter2", in: Optional(secret) as Any)
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }
}

/// Expects that nothing which prints a value shows some text.
func expectHidden(_ text: String, in value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
  var dumped = ""
  dump(value, to: &dumped)
  for shown in [String(describing: value), String(reflecting: value), "\(value)", dumped] {
    #expect(!shown.isEmpty && !shown.contains(text), sourceLocation: sourceLocation)
  }
}
