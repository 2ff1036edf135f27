import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct AddressJoinerTests {
  static let base = "https://api.example.com/v1"

  private func join(_ path: String, _ base: String? = Self.base) throws(NetworkError) -> String {
    try AddressJoiner.join(path) { base.flatMap { URL(string: $0) } }.absoluteString
  }

  @Test(
    "S1-20 S1-25",
    arguments: [
      // Slashes: the base is a folder, whatever it ends with.
      (base, "users", "https://api.example.com/v1/users"),
      (base, "/users", "https://api.example.com/v1/users"),
      (base + "/", "users", "https://api.example.com/v1/users"),
      (base + "/", "/users", "https://api.example.com/v1/users"),
      (base + "//", "/users", "https://api.example.com/v1/users"),
      (base, "users/", "https://api.example.com/v1/users/"),
      (base, "users//1", "https://api.example.com/v1/users//1"),
      (base, "", "https://api.example.com/v1"),
      (base + "/", "", "https://api.example.com/v1"),
      (base, "/", "https://api.example.com/v1/"),
      ("https://api.example.com", "", "https://api.example.com/"),
      ("https://api.example.com/", "", "https://api.example.com/"),
      ("https://api.example.com", "users", "https://api.example.com/users"),
      ("https://api.example.com/", "/users", "https://api.example.com/users"),
      ("https://api.example.com/a//b", "c", "https://api.example.com/a//b/c"),
      // Dots.
      (base, "../admin", "https://api.example.com/v1/../admin"),
      (base, "./a/./b", "https://api.example.com/v1/./a/./b"),
      (base, "a/..", "https://api.example.com/v1/a/.."),
      (base, "%2e%2E/a", "https://api.example.com/v1/%2e%2E/a"),
      // Queries and fragments.
      (base, "a?x=1", "https://api.example.com/v1/a?x=1"),
      (base, "?x=1", "https://api.example.com/v1?x=1"),
      (base + "?k=v", "a", "https://api.example.com/v1/a?k=v"),
      (base + "/?k=v", "a?x=1&x=2", "https://api.example.com/v1/a?k=v&x=1&x=2"),
      (base + "?k=v", "a?", "https://api.example.com/v1/a?k=v"),
      (base + "?", "a?x", "https://api.example.com/v1/a?x"),
      (base + "?", "a", "https://api.example.com/v1/a"),
      (base, "a?", "https://api.example.com/v1/a?"),
      (base, "a?b?c/d", "https://api.example.com/v1/a?b?c/d"),
      (base, "a?next=http://b.example/?q=@:", "https://api.example.com/v1/a?next=http://b.example/?q=@:"),
      (base, "a?x=1+1&y", "https://api.example.com/v1/a?x=1+1&y"),
      (base, "a?b[]=1", "https://api.example.com/v1/a?b%5B%5D=1"),
      (base, "a?x=é", "https://api.example.com/v1/a?x=%C3%A9"),
      (base, "a#top", "https://api.example.com/v1/a"),
      (base, "a?x#top?y", "https://api.example.com/v1/a?x"),
      (base, "#top", "https://api.example.com/v1"),
      (base + "#base", "a", "https://api.example.com/v1/a"),
      (base + "?k#base", "a?x#top", "https://api.example.com/v1/a?k&x"),
      // Escapes and characters that need one.
      (base, "a%20b", "https://api.example.com/v1/a%20b"),
      (base, "a%2Fb%2fc", "https://api.example.com/v1/a%2Fb%2fc"),
      (base, "%25", "https://api.example.com/v1/%25"),
      (base, "a%00b", "https://api.example.com/v1/a%00b"),
      (base, "日本/é", "https://api.example.com/v1/%E6%97%A5%E6%9C%AC/%C3%A9"),
      (base, "e\u{301}", "https://api.example.com/v1/e%CC%81"),
      (base, "🙂", "https://api.example.com/v1/%F0%9F%99%82"),
      (base, "a\\b", "https://api.example.com/v1/a%5Cb"),
      (base, "a[0]{b}|c^d`<e>\"", "https://api.example.com/v1/a%5B0%5D%7Bb%7D%7Cc%5Ed%60%3Ce%3E%22"),
      (base, "a-b.c_d~e!$&'()*+,;=@", "https://api.example.com/v1/a-b.c_d~e!$&'()*+,;=@"),
      (base, "/items:batch", "https://api.example.com/v1/items:batch"),
      (base, "items/1:2", "https://api.example.com/v1/items/1:2"),
      ("https://api.example.com/%C3%A9", "a", "https://api.example.com/%C3%A9/a"),
      // Absolute addresses.
      (base, "http://other.example", "http://other.example/"),
      (base, "http://other.example/", "http://other.example/"),
      (base, "http://other.example?x", "http://other.example/?x"),
      (base, "http://other.example#x", "http://other.example/"),
      (base, "HTTPS://Other.Example/A", "HTTPS://Other.Example/A"),
      (base, "http://other.example/a//../b/?", "http://other.example/a//../b/?"),
      (base, "http://other.example/@a:b", "http://other.example/@a:b"),
      (base, "http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"),
      (base, "http://other.example:65535/a", "http://other.example:65535/a"),
      (base, "http://other.example:08080/a", "http://other.example:08080/a"),
      (base, "http://other.example:/a", "http://other.example/a"),
      (base, "http://a_b.xn--mnchen-3ya.de/a", "http://a_b.xn--mnchen-3ya.de/a"),
      (base, "http://[::1]/a", "http://[::1]/a"),
      (base, "http://[2001:DB8::1:192.0.2.1]:8080", "http://[2001:DB8::1:192.0.2.1]:8080/"),
      (base, "http://[fe80::1%25eth0]:80/a", "http://[fe80::1%25eth0]:80/a"),
      ("http://[::1]:80/b", "a", "http://[::1]:80/b/a"),
      ("https://api.example.com:8443", "a", "https://api.example.com:8443/a"),
    ])
  func joins(_ base: String, _ path: String, _ expected: String) throws {
    let found = try join(path, base)
    expectEqual(found, expected)
    // What the parts are, everybody thinks the same of.
    let parts = try require(URLComponents(string: found))
    expectEqual(parts.string, found)
    expectEqual(parts.host?.isEmpty, false)
    expectNil(parts.user)
    expectNil(parts.fragment)
    expect(parts.percentEncodedPath.hasPrefix("/"))
    try expectEqual(join(found, nil), found, "joining again changes it")
  }

  /// The part of the joining that RFC 3986 has, too: below a base whose path ends with a slash.
  @Test(arguments: [
    "a", "a/", "a/b", "a?x=1", "a?x=1#y", "a;b=1?c", "a%20b", "é", "a//b", "a/@:!$&'()*+,;=", "a?b?c/d",
  ])
  func agreesWithRFC3986(_ path: String) throws {
    let base = try require(URL(string: "https://api.example.com/v1/"))
    var parts = try require(
      URL(string: path, relativeTo: base).flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) })
    parts.fragment = nil
    try expectEqual(join(path, "https://api.example.com/v1/"), parts.string)
  }

  @Test(arguments: [
    // No HTTP.
    "ftp://a.example/", "file:///etc/passwd", "javascript:alert(1)", "mailto:a@b.example", "items:batch", "1:2", ":a",
    "é:a", "http:", "http:/a", "http:a", "httpx://a.example/",
    // Hosts.
    "http://", "http:///a", "http://?a", "http://:80/", "//other.example/a", "///a", "http://münchen.example/",
    "http://a%2Eb/", "http://a b/", "http://a\\b/", "http://a,b/", "http://a\u{AD}b.example/", "http://a~b/",
    "http://user@a.example/", "http://user:secret@a.example/", "http://a.example\\@b.example/", "http://@a.example/",
    // IPv6.
    "http://[::1", "http://[::1/a", "http://[]/", "http://[::1]a/", "http://[:::1]/", "http://[1.2.3.4]/",
    "http://[v1.a]/", "http://[fe80::1%25]/", "http://[fe80::1%eth0]/", "http://[::1]80/", "http://::1/",
    "http://[::1%2500]]/",
    // Ports.
    "http://a.example:0/", "http://a.example:65536/", "http://a.example:99999/", "http://a.example:080800/",
    "http://a.example:-1/", "http://a.example:x/", "http://a.example:80:80/", "http://a.example:8a/",
    // Characters and escapes.
    "/a b", "/a\r\nb", "/a\tb", "/a\u{0}", "/a\u{7F}", " /a", "/a ", "/%", "/%2", "/%zz", "/%%20", "/a?%", "/a#%x",
  ])
  func refuses(_ path: String) {
    refuses(path, base: Self.base)
  }

  @Test(arguments: [
    nil, "v1", "/v1", "ftp://a.example/", "http:///a", "mailto:a@b.example", "https://user:secret@a.example/",
    "http://a.example:99999/",
  ])
  func refusesBases(_ base: String?) {
    refuses("a", base: base)
  }

  private func refuses(_ path: String, base: String?) {
    do throws(NetworkError) {
      let url = try join(path, base)
      Issue.record("\(path.debugDescription) became \(url)")
    } catch {
      expectEqual(error.code, .invalidURL)
      expect(!error.reason.isEmpty)
      expect(!error.reason.contains("secret"))
    }
  }

  @Test(arguments: [
    "http://\u{301}u:secret@a/", "/a b?\u{301}token=secret", "http://u:secret@a/", "/a b?token=secret",
    "http://a.example:x/?secret", "shop://reset/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.secretsecretsecret",
    "/a b;jsessionid=secret", "data:text/plain,secret",
  ])
  func errorsTellNoSecrets(_ path: String) {
    refuses(path, base: nil)
  }

  @Test func onlyARelativePathAsksForTheBase() throws {
    let base: () throws(NetworkError) -> URL? = { () throws(NetworkError) in throw NetworkError(.invalidBody) }
    let url = try AddressJoiner.join("https://a.example/%20", below: base)
    expectEqual(url.absoluteString, "https://a.example/%20")
    do throws(NetworkError) {
      _ = try AddressJoiner.join("a", below: base)
      Issue.record("was joined")
    } catch {
      expectEqual(error.code, .invalidBody)
    }
  }
}

/// What is plain takes a short way, which has to lead where the long one does.
struct PlainAddressTests {
  @Test(arguments: [
    "https://a.example", "https://a.example/", "http://a:80/v1", "http://a_b.c:8080/v1/", "https://a//",
    "https://a/x//",
  ])
  func aPlainPathBelowAPlainBaseIsJoinedAsAnyOther(_ base: String) throws {
    for path in ["/x", "x", "x/y/", "/", "a//b", ".", "../z", "~a-b_c.d"] {
      let short = try AddressJoiner.join(path) { URL(string: base) }
      // A query is never plain.
      let long = try AddressJoiner.join(path + "?q") { URL(string: base) }
      expectEqual(short.absoluteString + "?q", long.absoluteString)
    }
  }

  @Test func whatIsNotPlainIsRefusedAsEver() {
    for (base, path) in [
      ("https://", "/x"), ("https:///v1", "/x"), ("https://a", "//b"), ("https://a", "a:b"),
    ] {
      #expect(throws: NetworkError.self, "\(base) \(path)") { try AddressJoiner.join(path) { URL(string: base) } }
    }
  }
}
