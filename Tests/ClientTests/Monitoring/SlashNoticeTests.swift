import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A value with a slash in a path is escaped, and said.
struct SlashNoticeTests {
  private func notices(_ paths: [RequestPath], service: ServiceID? = nil) -> [String] {
    let (stub, log) = (StubTransport(), MonitorLog())
    let client = NetworkClient(baseURL: URL(string: "https://api.example")) {
      $0.transport = stub
      $0.monitors = [log]
    }
    for path in paths { _ = SignalRecorder(client.enqueue(request: Request(.get, path, service: service))) }
    return log.events.compactMap { if case .notice(let text) = $0 { text } else { nil } }
  }

  @Test func isToldOnceForEachPlaceAndNamesTheRemedy() {
    let names = ["ada/shop", "ben/shop"]
    let found = notices(names.map { "/repos/\($0)/issues" } + names.map { "/users/\($0)" })
    expectEqual(found.count, 2)
    expect(found.first?.contains(#"after "/repos/""#) == true)
    expect(found.allSatisfy { $0.contains("%2F") && $0.contains(#"\(raw:)"#) })
    expect(found.allSatisfy { !$0.contains("ada") })
  }

  @Test func isToldBeforeAnUnknownServiceFailsTheRequest() {
    let name = "ada/shop"
    expectEqual(notices(["/repos/\(name)"], service: "nobody").count, 1)
  }

  @Test func isNotToldOfRawTextQueriesAndOtherValues() {
    let name = "ada/shop"
    expectEqual(notices(["/repos/\(raw: name)", "/repos?of=\(name)", "/repos/\("ada")", "/repos/ada/shop"]), [])
  }
}
