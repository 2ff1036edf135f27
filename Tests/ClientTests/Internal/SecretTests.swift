import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct SecretTests {
  private struct Login {
    var user = "ann"
    var password = Secret("hunter2")
    var passwords = ["a": Secret("hunter2")]
  }

  @Test func isShownByNoDescriptionOrDump() {
    let secret = Secret("hunter2")
    expectEqual(secret.reveal(), "hunter2")
    expectEqual("\(secret)", "<redacted>")
    expectHidden("hunter2", in: secret)
    expectHidden("hunter2", in: Login())
    expectHidden("hunter2", in: [Login()] as Any)
    expectHidden("hunter2", in: Optional(secret) as Any)
    expect(Mirror(reflecting: secret).children.isEmpty)
  }
}
