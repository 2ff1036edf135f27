import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// `print` of a public value is one readable line, without secrets and without names of private types.
struct DescriptionTests {
  private struct Reports: Monitor {
    let add: @Sendable (RequestReport) -> Void
    func observe(_ event: MonitorEvent) { if case .ended(let report) = event { add(report) } }
  }

  @Test func everythingThatOneMeetsIsOneLine() async throws {
    let reports = Guarded<[RequestReport]>([])
    let kit = TestKit { $0.monitors = [Reports { report in reports.withLock { $0.append(report) } }] }
    kit.stub.on(.get, "/a", .json(#"{"token":"hunter2"}"#, headers: ["Set-Cookie": "hunter2"]), .status(401))
    let request = Request(
      .post, "/a?token=hunter2", parameters: ["password": "hunter2"], headers: ["Authorization": "hunter2"],
      body: .json(["password": "hunter2"]), idleTimeout: .seconds(3), retry: Retry(limit: 2))
    let response = try await kit.client.send("/a?token=hunter2", as: JSON.self)
    let failed = SignalRecorder(kit.client.enqueue(request: "/a?token=hunter2", resultType: JSON.self))
    let error = try require(failed.failure)
    let built = try kit.client.httpRequest(for: request)
    let values: [Any] = [
      request, request.options, request.body, request.path, request.method, built, built.body, response, response.head,
      response.metrics as Any, error, error.attribution, error.code, error.domain, failed.events[0], kit.client,
      kit.client.configuration, kit.client.configuration.retry,
      TransferProgress(.sending, byteCount: 1, totalByteCount: 2),
      Transfer<Int>.finished(1), Metrics(endedAt: .milliseconds(12)), reports.withLock { $0[0] },
      reports.withLock { $0[1].outcome }, RequestPath("/a"), kit.client.exchange(request: "/a?token=hunter2"),
    ]
    for value in values {
      let text = String(describing: value)
      expect(!text.contains("\n"), "\(type(of: value)): \(text)")
      expect(text.count < 400, "\(type(of: value)): \(text)")
      expect(!text.contains("unknown context"), "\(text)")
      expect(!text.contains("Box"), "\(text)")
      expect(!text.contains("hunter2"), "\(text)")
    }
    expectEqual("\(Response(value: 1, head: response.head))", "Response<Int> 200 https://api.example.com/a?…")
    expectEqual("\(TransferProgress(.sending, byteCount: 1, totalByteCount: 2))", "sent 1 of 2 bytes")
    expectEqual("\([Retry(limit: 0), Retry(limit: 1), Retry(limit: 2)])", "[never, 1 retry, 2 retries]")
    let signal = kit.client.enqueue(request: "/a", resultType: Int.self)
    expectEqual("\(signal)", "Signal<Response<Int>, NetworkError>")
    expectEqual("\([Signal<Int, Never>.just(7)])", "[Signal<Int, Never>]")
    expectEqual("\(request.options)", "RequestOptions(idleTimeout: 3.0 seconds, retry: 2 retries)")
  }

  @Test func optionsNameWhatIsSet() {
    let options = RequestOptions.with {
      $0.cache = .http.version(2)
      $0.idempotencyKey = "hunter2"
      $0.redirects = .stop
      $0.sendsBodyAcrossOrigins = true
      $0.messages = [.timedOut: "hunter2"]
    }
    let text = "cache: http, version 2, sendsBodyAcrossOrigins: true, messages, idempotencyKey, redirects"
    expectEqual("\(options)", "RequestOptions(\(text))")
  }

  @Test func baseAddressesShowNoSecrets() throws {
    let url = try require(URL(string: "https://user:hunter2@a.example/?token=hunter2"))
    let addresses = ServiceAddresses(url, cdn: url)
    let options = RequestOptions.with { $0.address = .custom(url) }
    for value in [options, options.address, addresses] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in [String(describing: value), String(reflecting: value), String(describing: [value]), dumped] {
        expect(text.contains("a.example"), "\(text)")
        expect(!text.contains("hunter2"), "\(text)")
      }
    }
    expectEqual("\(AddressKind.cdn)", "cdn")
    expectEqual("\(RequestOptions.with { $0.address = .secondary })", "RequestOptions(address: secondary)")
  }
}
