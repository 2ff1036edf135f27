import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct AuthorizationTests {
  /// The first two are RFC 7617 §2's and §2.1's own.
  @Test(arguments: [
    ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
    ("", "", "Basic Og=="),
    ("a", "b:c", "Basic YTpiOmM="),
    ("e\u{301}", "e\u{301}", "Basic w6k6w6k="),
  ])
  func writesAUserAndPassword(_ user: String, _ password: String, _ value: String) throws {
    try expectEqual(Authorization.basic(user: user, password: password).headerValue, value)
  }

  @Test(arguments: [
    ("a:b", "c"), (":", ""), ("a:\u{301}", "c"), ("a\n", "b"), ("a", "b\r"), ("a\u{0}", "b"), ("a", "b\u{7F}"),
    ("a\t", "b"), ("a", "b\r\nInjected: 1"),
  ])
  func refusesColonsInAUserAndControlCharacters(_ user: String, _ password: String) {
    expectRefusal { () throws(NetworkError) in try Authorization.basic(user: user, password: password) }
  }

  @Test(arguments: ["a", "mF_9.B5f-4.1JqM", "AZaz09-._~+/", "abc==", "1|abc", "a,b", "a:b", "\"a\"", "a=b"])
  func writesAToken(_ token: String) throws {
    try expectEqual(Authorization.bearer(token: token).headerValue, "Bearer \(token)")
  }

  @Test(arguments: ["", "a b", " a", "a\r\nInjected: 1", "é", "a\u{301}", "a\u{0}", "a\u{7F}"])
  func refusesWhatIsNoToken(_ token: String) {
    expectRefusal { () throws(NetworkError) in try Authorization.bearer(token: token) }
  }

  @Test(arguments: [("token", "ghp_1"), ("ApiKey", "a b=\"c\", d"), ("X-1", "e")])
  func writesAnyScheme(_ scheme: String, _ credentials: String) throws {
    let authorization = try Authorization(scheme: scheme, credentials: credentials)
    expectEqual(authorization.headerValue, "\(scheme) \(credentials)")
    expectEqual("\(authorization)", "\(scheme) <redacted>")
  }

  @Test(arguments: [
    ("", "a"), ("a b", "c"), ("a:", "b"), ("é", "a"), ("a", ""), ("a", " b"), ("a", "b "), ("a", "b\r\nInjected: 1"),
    ("a", "é"), ("a\n", "b"),
  ])
  func refusesWhatIsNoSchemeOrNoFieldValue(_ scheme: String, _ credentials: String) {
    expectRefusal { () throws(NetworkError) in try Authorization(scheme: scheme, credentials: credentials) }
  }

  @Test func isShownByNoDescriptionOrDump() throws {
    let bearer = try Authorization.bearer(token: "s3cr3t")
    expectEqual("\(bearer)", "Bearer <redacted>")
    expectHidden("s3cr3t", in: bearer)
    let basic = try Authorization.basic(user: "ann", password: "hunter2")
    for text in ["ann", "hunter2", String(basic.headerValue.dropFirst(6))] { expectHidden(text, in: basic) }
    expectHidden("s3cr3t", in: ["Authorization": bearer] as Any)
  }

  /// What was refused is in no error either.
  private func expectRefusal(_ make: () throws(NetworkError) -> Authorization) {
    do throws(NetworkError) {
      _ = try make()
      Issue.record("was accepted")
    } catch {
      expectEqual(error.code, .invalidCredentials)
      expect(!error.reason.contains("Injected"))
    }
  }
}
