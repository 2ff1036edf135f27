#if os(Linux)
import Foundation
import Heliograph
import HeliographTesting

/// Sends requests while the process has no free descriptor or may create no thread, and prints what becomes of them.
///
/// The first argument names the shortage: that of a `creation` or a `default` transport, of a `socket`, of the file of
/// `authorities`, of a `look-up` or of a `thread`, or those of connections to many `hosts`. The others are addresses: of
/// the request, and for a socket of one to another server, which is sent before.
struct Starving {
  private let arguments: [String]

  init(_ arguments: [String]) { self.arguments = arguments }

  func run() async throws {
    // Whatever is loaded once is loaded now.
    let transport = try CurlTransport()
    switch try arguments.text(0) {
    case "creation":
      let limit = takeDescriptors()
      defer { limit.restore() }
      do throws(NetworkError) {
        _ = try CurlTransport()
        print("created")
      } catch {
        print(error.code, error.reason)
      }
    case "default":
      let limit = takeDescriptors()
      let transport = NetworkClient.Configuration().transport
      let first = SignalRecorder(transport.send(HTTPRequest(url: try arguments.url(1))))
      limit.restore()
      print(transport.usesNetwork, terminator: " ")
      try await report(first, again: transport)
    case "look-up":
      let limit = takeDescriptors()
      guard let url = URL(string: "http://shop.invalid/") else { throw Failure("invalid URL") }
      let first = SignalRecorder(transport.send(HTTPRequest(url: url)))
      await first.waitForEnd()
      limit.restore()
      try await report(first, again: transport)
    case "authorities":
      // The socket takes the last descriptor.
      let limit = takeDescriptors(but: 1)
      guard let url = URL(string: "https" + (try arguments.text(1).dropFirst(4))) else { throw Failure("invalid URL") }
      let first = SignalRecorder(transport.send(HTTPRequest(url: url)))
      await first.waitForEnd()
      limit.restore()
      try await report(first, again: transport)
    case "socket":
      await SignalRecorder(transport.send(HTTPRequest(url: try arguments.url(2)))).waitForEnd()
      let limit = takeDescriptors()
      let first = SignalRecorder(transport.send(HTTPRequest(url: try arguments.url(1))))
      await first.waitForEnd()
      limit.restore()
      try await report(first, again: transport)
    case "thread":
      // No limit holds for root.
      if geteuid() == 0 { setuid(65_534) }
      let limit = Limit(__RLIMIT_NPROC, 0)
      let first = SignalRecorder(transport.send(HTTPRequest(url: try arguments.url(1))))
      limit.restore()
      try await report(first, again: transport)
    case "hosts":
      let limit = takeDescriptors(but: 60)
      defer { limit.restore() }
      let transport = try CurlTransport(TransportSettings(concurrencyLimit: 300))
      var statuses: [Int: Int] = [:]
      for number in 0..<100 {
        let port = try arguments.url(1).port ?? 0
        guard let url = URL(string: "http://host-\(number).localhost:\(port)/a") else { continue }
        let recorder = SignalRecorder(transport.send(HTTPRequest(url: url)))
        await recorder.waitForEnd()
        if case .head(let head) = recorder.values.first { statuses[head.statusCode, default: 0] += 1 }
      }
      print(statuses)
    default: throw Failure("unknown shortage")
    }
  }

  /// Prints the failure of the first request, and the status of the second.
  private func report(
    _ first: SignalRecorder<TransportEvent, NetworkError>, again transport: any Transport
  ) async throws {
    guard let error = first.failure else { throw Failure("the first request has not failed: \(first.events)") }
    let second = SignalRecorder(transport.send(HTTPRequest(url: try arguments.url(1))))
    await second.waitForEnd()
    guard case .head(let head) = second.values.first else { throw Failure("no response: \(second.events)") }
    print(error.code, error.attribution.party, head.statusCode)
  }

  /// Leaves a number of descriptors free.
  private func takeDescriptors(but count: Int32 = 0) -> Limit {
    let lowest = dup(STDIN_FILENO)
    close(lowest)
    return Limit(RLIMIT_NOFILE, lowest + count)
  }
}

/// A limit of the process that is lowered and restored.
private struct Limit {
  private let resource: __rlimit_resource_t
  private let former: rlimit

  init(_ resource: __rlimit_resource, _ value: Int32) {
    self.resource = __rlimit_resource_t(resource.rawValue)
    var limits = rlimit()
    getrlimit(self.resource, &limits)
    former = limits
    limits.rlim_cur = rlim_t(value)
    setrlimit(self.resource, &limits)
  }

  func restore() {
    var limits = former
    setrlimit(resource, &limits)
  }
}
#endif
