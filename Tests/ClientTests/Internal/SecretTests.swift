import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

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

  @Test func millisecondsHaveTheirSign() {
    let texts = [-1_250, -500, -4, 0, 500, 1_250].map { Duration.microseconds($0).inMilliseconds }
    expectEqual(texts, ["-1.3 ms", "-0.5 ms", "0.0 ms", "0.0 ms", "0.5 ms", "1.3 ms"])
    // A server may ask for any delay.
    expect(Duration.seconds(251_600_122_266).inMilliseconds.hasSuffix("seconds"))
  }
}
