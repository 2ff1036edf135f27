#if HELIOGRAPH_CURL
import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// What the settings and the environment say about a proxy.
struct ProxyTests {
  @Test(arguments: ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
  func theEnvironmentNamesAProxy(_ name: String) {
    for (address, isSet, isLocal) in [
      ("", false, false), ("proxy.example:8080", true, false), ("127.0.0.1:8080", true, true),
      ("socks5://[::1]:1080", true, true),
    ] {
      let environment = [name: address]
      expectEqual(Proxy.environment.isSet(in: environment), isSet)
      expectEqual(Proxy.environment.isLocal(in: environment), isLocal)
      expect(!Proxy.direct.isSet(in: environment))
      expect(!Proxy.direct.isLocal(in: environment))
    }
  }

  /// CGI servers put a request's field `Proxy` there.
  @Test func theVariableHTTP_PROXYIsIgnored() { expect(!Proxy.environment.isSet(in: ["HTTP_PROXY": "127.0.0.1:8080"])) }

  @Test func theSettingsNameAProxy() throws {
    for (address, isLocal) in [("http://proxy.example:8080", false), ("http://127.0.0.1:8080", true)] {
      let proxy = Proxy.server(try require(URL(string: address)))
      expect(proxy.isSet(in: [:]))
      expectEqual(proxy.isLocal(in: [:]), isLocal)
    }
  }
}
#endif
