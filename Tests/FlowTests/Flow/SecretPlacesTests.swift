import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph
@testable import Signals

/// No text of an exchange shows a secret, wherever it stands; the exceptions have their reasons.
struct SecretPlacesTests {
  @Test func thereAreEnoughPlaces() {
    expect(SecretPlace.all.count >= 150)
    expect(SecretPlace.all.allSatisfy { $0.exceptions.isEmpty == $0.reason.isEmpty })
  }

  @Test(arguments: SecretOutput.allCases) func noTextShowsASecret(_ output: SecretOutput) throws {
    for place in SecretPlace.all {
      let request = try require(place.request)
      let text = try text(output, request, place.response(to: request))
      expect(!text.isEmpty)
      let isShown = text.contains(place.secret)
      if isShown != place.exceptions.contains(output) {
        Issue.record("\(output) of \(place): \(isShown ? "shown" : "no exception needed") in \(text.prefix(2_000))")
      }
    }
  }

  private func text(_ output: SecretOutput, _ request: HTTPRequest, _ response: Response<Data>) throws -> String {
    let error = NetworkError(
      .status(500), reason: "HTTP status 500", request: request, response: response, underlying: URLError(.timedOut))
    let report = RequestReport(
      id: request.id, attempt: 1, request: request, wasSent: true, response: response.head, bodyByteCount: 1,
      duration: .zero, metrics: nil, outcome: .failure(error))
    let path = RequestPath(request.url.absoluteString)
    let wanted = Request(.post, path, headers: request.headers, body: .data(request.bodyData, contentType: ""))
    let multipart: Multipart = [.data("file", request.bodyData)]
    let state = EnvironmentStore.State(environment: .custom, customAddress: request.url)
    let events: [MonitorEvent] = [
      .started(request.id, wanted), .sent(request), .redirected(request, response.head, request),
      .responded(request, response.head), .received(request, response),
      .delivered(request, response.head), .attemptEnded(report), .ended(report),
    ]
    let draft = RequestDraft(method: .post, url: request.url, headers: request.headers, body: request.body)
    let values: [Any] =
      [
        request, request.headers, request.body, response, response.head, error, report, path, wanted, multipart, state,
        draft, ServerSentEvent(data: String(decoding: response.value, as: UTF8.self)),
      ] + Array(request.headers) + events
    switch output {
    case .interpolation: return values.map { "\($0)" }.joined(separator: "\n")
    case .description: return values.map { String(describing: $0) }.joined(separator: "\n") + "\([values])"
    case .debugDescription: return values.map { String(reflecting: $0) }.joined(separator: "\n")
    case .dump:
      var text = ""
      for value in values { dump(value, to: &text) }
      return text
    case .mirror: return values.map { mirrored($0) }.joined(separator: "\n")
    case .curlCommand: return request.curlCommand
    case .console:
      let lines = Log<String>()
      for level in ConsoleMonitor.Level.allCases {
        let monitor = ConsoleMonitor(level: level) { lines.add($0) }
        for event in events { monitor.observe(event) }
      }
      return lines.entries.joined(separator: "\n")
    case .cassette: return try recorded(request, response)
    case .nsError: return "\(error as NSError) \((error as NSError).userInfo) \(error.nsError(includingBody: false))"
    case .errorUserInfo: return "\(error.errorUserInfo)"
    case .localizedDescription: return "\(error.localizedDescription) \(error.failureReason ?? "")"
    case .ownershipLog:
      let signal = NetworkClient(.init(transport: StubTransport())).enqueue(request: wanted, resultType: Data.self)
      let entry = OwnershipLog.Entry(
        ownerType: "A", signalName: signal.name, age: .zero, isOwnerDeallocated: true)
      return "\(entry) \(signal)"
    case .report: return "\(report) \(report.outcome)"
    case .explanation: return response.explanation + error.explanation + report.explanation
    }
  }

  /// What the mirrors of a value and of all in it show.
  private func mirrored(_ value: Any) -> String {
    let children = Mirror(reflecting: value).children
    if children.isEmpty { return String(describing: value) }
    return children.map { "\($0.label ?? ""): \(mirrored($0.value))" }.joined(separator: "\n")
  }

  /// The file of a cassette, and once more that of its bodies, decoded from base64.
  private func recorded(_ request: HTTPRequest, _ response: Response<Data>) throws -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("cassette-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let recorder = SignalRecorder(
      try CassetteTransport(file: file, recording: Answer(response: response)).send(request))
    expect(recorder.isCompleted, "\(recorder.events)")
    let data = try Data(contentsOf: file)
    let bodies = try (JSON(data: data).array ?? []).flatMap { [$0["text"], $0["request"]["body"]] }.compactMap(\.string)
    let bytes = bodies.map { body in
      body.hasPrefix("base64:") ? Data(base64Encoded: String(body.dropFirst(7))) ?? Data() : Data(body.utf8)
    }
    let texts = bytes.map { String(decoding: $0, as: UTF8.self).replacing("\0", with: "") }
    return ([String(decoding: data, as: UTF8.self)] + texts).joined(separator: "\n")
  }
}

/// A transport with one answer to every request.
private struct Answer: Transport {
  let response: Response<Data>
  var usesNetwork: Bool { false }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .from([.head(response.head), .body(response.value)])
  }
}
