import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

struct DefaultTransportTests {
  @Test("S1-13 S0-43") func linuxTakesLibcurlWhereThereIsOne() {
    let transport = NetworkClient.Configuration().transport
    #if os(Linux)
    expectEqual((transport is CurlTransport), CurlTransport.isAvailable)
    #else
    expect(transport is URLSessionTransport)
    #endif
  }

  /// Without libcurl, which `HELIOGRAPH_WITHOUT_CURL=1` hides.
  @Test(.enabled(if: !CurlTransport.isAvailable)) func aMonitorIsToldOnceWhenThereIsNone() async throws {
    let notices = Guarded<[String]>([])
    let shop = try Shop { configuration in
      configuration.monitors = [
        ConsoleMonitor { line in if line.contains("URLSession") { notices.withLock { $0.append(line) } } }
      ]
    }
    shop.serve("/product", #"{"id":1,"name":"Lamp"}"#)
    _ = await shop.products("/product")
    _ = await shop.products("/product")
    #if os(Linux)
    expectEqual(notices.withLock { $0.count }, 1)
    #endif
  }

  @Test(arguments: ["not base 64", "c2hvcnQ="]) func aPinThatIsNoneIsRefusedAtOnce(_ pin: String) {
    guard CurlTransport.isAvailable else { return }
    var settings = TransportSettings()
    settings.trust.pinnedKeys = ["*": [pin]]
    #expect(throws: NetworkError.self) { try CurlTransport(settings) }
    settings.trust = Trust()
    // A file that does not exist, and one without certificates.
    for path in ["/nowhere/ca.pem", #filePath] {
      settings.trust.authorities = URL(fileURLWithPath: path)
      let error = #expect(throws: NetworkError.self) { try CurlTransport(settings) }
      expectEqual(error?.code, .invalidTransport)
    }
  }
}
