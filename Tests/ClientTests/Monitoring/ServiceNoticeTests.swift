import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A property of a service that is named like a setting and has another type.
struct ServiceNoticeTests {
  private struct Payments: Service {
    let signer = HMACSigner(key: Data("secret".utf8))
    let retry = Retry(limit: 2)
    let totalTimeout: Duration? = .seconds(5)
    let cache = CachePolicy.http
    let url: URL? = nil

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { url.map { ServiceAddresses($0) } }
  }

  private struct Masked: Service, CustomReflectable {
    let signer: (any Signer)? = HMACSigner(key: Data("secret".utf8))

    var customMirror: Mirror { Mirror(self, children: ["signer": "<redacted>"], displayStyle: .struct) }

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { nil }
  }

  private func notices(_ services: any Service...) -> [String] {
    let (stub, log) = (StubTransport(), MonitorLog())
    _ = NetworkClient(.init(monitors: [log], services: services, transport: stub))
    return log.events.compactMap { if case .notice(let text) = $0 { text } else { nil } }
  }

  @Test func isReportedWithItsTypeAndTheRightOne() {
    let found = notices(Payments())
    expectEqual(found.count, 2)
    for (name, types) in [("signer", "HMACSigner instead of Optional<"), ("retry", "Retry instead of Optional<Retry>")]
    {
      let notice = found.first { $0.contains("`\(name)` of Payments") }
      expect(notice?.contains(types) == true, "\(notice ?? "no notice about \(name)")")
    }
    expect(found.allSatisfy { !$0.contains("secret") })
  }

  @Test func settingsAreNotReported() {
    let shop = Bookshop(idleTimeout: .seconds(1), signer: HMACSigner(key: Data("secret".utf8)))
    expectEqual(notices(shop, Bookshop(id: "other"), Plain(), Masked()), [])
  }
}
