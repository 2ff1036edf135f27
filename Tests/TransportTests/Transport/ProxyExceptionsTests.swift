#if HELIOGRAPH_CURL
import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct ProxyExceptionsTests {
  private func isExcepted(_ address: String, _ texts: [String]) throws -> Bool {
    ProxyExceptions(texts).contains(try require(URL(string: address)))
  }

  @Test(
    arguments: [
      ("example.com", "http://example.com/"), ("example.com", "https://www.EXAMPLE.com/"),
      (".example.com", "http://example.com/"), (".example.com", "http://www.example.com/"),
      ("example.com", "http://example.com:8080/"), ("example.com.", "http://example.com/"),
      ("example.com", "http://example.com./"), ("Example.COM", "http://example.com/"),
      ("example.com:8080", "http://example.com:8080/"), ("example.com:443", "https://www.example.com/"),
      ("example.com:80", "http://example.com/"), ("a, b example.com", "http://example.com/"),
      ("127.0.0.1", "http://127.0.0.1:1/"), ("127.0.0.1:81", "http://127.0.0.1:81/"),
      ("::1", "http://[::1]/"), ("[::1]", "http://[::1]:8080/"), ("[::1]:8080", "http://[::1]:8080/"),
      ("0:0:0:0:0:0:0:1", "http://[::1]/"), ("192.168.0.0/16", "http://192.168.3.4/"),
      ("10.128.0.0/9", "http://10.200.0.1/"), ("0.0.0.0/0", "http://10.200.0.1/"), ("fd00::/8", "http://[fd12::1]/"),
      ("fe80::/10", "http://[fe80::1%25eth0]/"), ("::1", "http://[::1%25lo]:8080/"),
      ("*", "http://example.com/"), ("other.example,*", "http://[::1]/"),
    ])
  func isReachedWithoutTheProxy(_ text: String, _ address: String) throws {
    try expect(isExcepted(address, [text]))
  }

  @Test(
    arguments: [
      ("", "http://example.com/"), ("example.com", "http://notexample.com/"),
      ("example.com", "http://example.com.org/"),
      ("www.example.com", "http://example.com/"), ("example.com:8080", "http://example.com/"),
      ("example.com:443", "http://example.com/"), ("example.com:http", "http://example.com/"),
      ("example.com:", "http://example.com/"), ("127.0.0.1:81", "http://127.0.0.1:82/"),
      ("0.0.1", "http://127.0.0.1/"), ("[::1]:8080", "http://[::1]/"), ("::1:8080", "http://[::1]:8080/"),
      ("192.168.0.0/16", "http://192.169.0.1/"), ("10.128.0.0/9", "http://10.100.0.1/"),
      ("192.168.0.0/33", "http://192.168.0.0/"), ("192.168.0.0/", "http://192.168.0.0/"),
      ("fd00::/8", "http://253.0.0.0/"), ("*.example.com", "http://www.example.com/"), (".", "http://example.com/"),
    ])
  func goesByTheProxy(_ text: String, _ address: String) throws {
    try expect(!isExcepted(address, [text]))
  }

  @Test func theEnvironmentIsReadAsTheCurlCommandReadsIt() {
    func exceptions(_ environment: [String: String]) -> ProxyExceptions { ProxyExceptions(environment: environment) }
    expect(exceptions([:]).isEmpty)
    expectEqual(exceptions(["no_proxy": "a", "NO_PROXY": "b"]), ProxyExceptions(["a"]))
    expectEqual(exceptions(["no_proxy": "", "NO_PROXY": "b,c:1"]), ProxyExceptions(["b", "c:1"]))
  }

  @Test func theEnvironmentsExceptionsAreItsProxys() throws {
    let environment = ["no_proxy": "example.com:81"]
    var settings = TransportSettings()
    let url = try require(URL(string: "http://example.com:81/"))
    try expect(ResolvedSettings(settings, environment: environment).proxyExceptions.contains(url))
    settings.proxy = .server(url)
    try expect(ResolvedSettings(settings, environment: environment).proxyExceptions.isEmpty)
  }
}
#endif
