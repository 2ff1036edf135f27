import Foundation
import HeliographTestSupport
import Signals
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographInspector

/// The bodies that an inspector does not count, and does not retain.
struct InspectorBodiesTests {
  /// The places of bodies besides those of a record.
  enum Place: CaseIterable {
    case stream, successor, unbuilt, unsigned, response, cause, attemptBeforeRefresh
    case redirects, redirectsOfSuccessor, slice, prefix, sliceOfResponse
  }

  /// An object of the app that a body retains.
  private final class Owner: Sendable {}

  private let url: URL

  init() throws { url = try require(URL(string: "https://api.example/items")) }

  private func request(_ body: HTTPBody = .empty) -> HTTPRequest { HTTPRequest(method: .post, url: url, body: body) }

  private func stream(retaining owner: Owner) -> HTTPBody {
    .stream(BodyStream(byteCount: 5) { withExtendedLifetime(owner) { BodyStream.pieces(of: []) } })
  }

  /// Content of a file that retains an owner; its slices do not copy it.
  private func content(retaining owner: Owner) -> Data {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1_000, alignment: 1)
    bytes.initializeMemory(as: UInt8.self, repeating: 7, count: 1_000)
    return Data(
      bytesNoCopy: bytes, count: 1_000,
      deallocator: .custom { bytes, _ in withExtendedLifetime(owner) { bytes.deallocate() } })
  }

  private func policy(retaining owner: Owner) -> RedirectPolicy {
    .decide { _, proposed in withExtendedLifetime(owner) { .follow(proposed) } }
  }

  /// The events of a request that retains an owner at a place.
  private func events(_ place: Place, _ owner: Owner) -> [MonitorEvent] {
    var sent = request()
    var other = request(stream(retaining: owner))
    var error = NetworkError(.status(502))
    var details: CopyOnWrite<ResponseDetails>?
    switch place {
    case .stream, .unbuilt: sent.body = other.body
    case .successor: break
    case .redirects: sent.redirects = policy(retaining: owner)
    case .redirectsOfSuccessor: (other.body, other.redirects) = (.empty, policy(retaining: owner))
    case .slice: sent.body = .data(content(retaining: owner)[100..<120])
    case .prefix: sent.body = .data(content(retaining: owner).prefix(20))
    case .sliceOfResponse: break
    case .unsigned: sent.context.unsigned = other
    case .response: details = CopyOnWrite(ResponseDetails(request: other))
    case .cause: error = NetworkError(.recoveryRefused, underlying: NetworkError(.status(401), request: other))
    case .attemptBeforeRefresh:
      error.marks.attemptBeforeRefresh = FailedAttempt(NetworkError(.status(401), request: other))
    }
    error.request = sent
    let report = RequestReport(
      id: sent.id, attempt: place == .unbuilt ? 0 : 1, duration: .zero, outcome: .failure(error),
      facts: CopyOnWrite(RequestReport.Facts(request: sent, details: details)), position: nil)
    switch place {
    case .unbuilt: return [.ended(report)]
    case .successor, .redirectsOfSuccessor:
      return [.sent(sent), .redirected(sent, HTTPResponse(statusCode: 307, url: url), other)]
    case .sliceOfResponse:
      let body = content(retaining: owner)[100..<120]
      return [.sent(sent), .received(sent, Response(value: body, head: HTTPResponse(statusCode: 200, url: url)))]
    default: return [.sent(sent), .attemptEnded(report), .ended(report)]
    }
  }

  /// A limit of zero stores none, whatever it costs.
  @Test(arguments: Place.allCases, [0, 100]) func onlyCountedBodiesAreRetained(_ place: Place, _ limit: Int) throws {
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: limit)
    weak var trace: Owner?
    do {
      let owner = Owner()
      trace = owner
      for event in events(place, owner) { log.next(event, at: .now) }
    }
    expect(trace == nil)
    expect(log.entry(1) != nil)
    let storesBody = [.slice, .prefix, .sliceOfResponse].contains(place)
    if storesBody { expectEqual(log.entry(1)?.bodyByteCount, min(20, limit)) }
    withExtendedLifetime(log) {}
  }

  /// Although no page asks for it.
  @Test(arguments: [Place.stream, .redirects, .slice]) func whatIsNotCountedIsProcessedAtOnce(_ place: Place) {
    let server = InspectorServer(
      PendingEvents(limit: 100, byteLimit: 1_000), InspectorLog(exchangeLimit: 10, bodyByteLimit: 1_000),
      InspectorGate(port: 1, token: "t"), InspectorText(isRedacted: true))
    weak var trace: Owner?
    do {
      let owner = Owner()
      trace = owner
      for event in events(place, owner) { server.observe(event) }
    }
    expect(trace == nil)
    withExtendedLifetime(server) {}
  }

  @Test func theSizeOfAStreamIsShown() throws {
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: 0)
    for event in events(.stream, Owner()) { log.next(event, at: .now) }
    let entry = try require(log.entry(1))
    guard case .exchange(let record) = entry.content else { throw CocoaError(.featureUnsupported) }
    expectEqual(HARSizes(record).requestBody, 5)
    let details = InspectorDetails(entry, InspectorText(isRedacted: true), at: .now)
    expectEqual(details.requestBody?.comment, "stream of 5 bytes")
    expect(details.curl?.hasSuffix("--data-binary '<stream of 5 bytes>'") == true)
    expect(details.explanation?.contains("502") == true)
  }
}
