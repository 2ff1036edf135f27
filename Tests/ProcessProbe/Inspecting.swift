import Foundation
import Heliograph
import HeliographInspector
import HeliographTesting
import Signals

/// Requests for the page of an inspector in a browser, one step for each line of standard input.
///
/// `hold` leaves a request in flight, which `release` completes; `markup` receives texts that a browser must not take for
/// markup; `mixed` has failures, redirects, retries and the cache; `send N` sends N requests. Each step is confirmed by its
/// line.
struct Inspecting {
  private let server: LoopbackServer
  private let inspector: NetworkInspector
  private let client: NetworkClient
  private let isReleased = CurrentValue(false)

  static let markup = "<script>window.wasRun = true</script><img src=x onerror='window.wasRun = true'><b>bold</b>"

  init() throws {
    let server = try LoopbackServer()
    let inspector = try NetworkInspector(includingSecrets: true)
    let released = isReleased.signal.filter { $0 }
    server.route("GET", "/held") { _ async in
      _ = await released.first()
      return .json("[]")
    }
    server.route("GET", "/page") { _ in .data(Data(Inspecting.markup.utf8), contentType: "text/html") }
    server.route("GET", "/json") { _ in .json(["text": Inspecting.markup]) }
    server.route("GET", "/items/*") { _ in .json(#"{"id":1}"#) }
    server.route("GET", "/busy") { _ in .status(503).header("Retry-After", "0") }
    server.route("GET", "/moved") { _ in .redirect(to: "/items/1") }
    server.route("GET", "/kept") { _ in .json("[1]").header("Cache-Control", "max-age=60") }
    (self.server, self.inspector) = (server, inspector)
    client = NetworkClient(baseURL: server.baseURL) {
      $0.monitors = [inspector]
      $0.cache = ResponseCache()
    }
  }

  func run() async throws {
    write(inspector.url.absoluteString)
    for await line in Inspecting.lines {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "hold": Task { [client] in try await client.send("/held", as: JSON.self) }
      case "release": isReleased.value = true
      case "markup":
        for path: RequestPath in ["/page", "/json"] { _ = try await client.send(Request(.get, path), as: Data.self) }
      case "mixed": await sendMixed()
      case "send": try await send(try words.number(1))
      default: throw Failure("unknown step \(line)")
      }
      write(line)
    }
  }

  private func sendMixed() async {
    var busy = Request(.get, "/busy")
    busy.options.retry = Retry(limit: 2, backoff: .none)
    let kept = Request(.get, "/kept", cache: .http)
    for request in [busy, Request(.get, "/moved"), kept, kept, Request(.get, "/absent")] {
      _ = try? await client.send(request, as: JSON.self)
    }
  }

  private func send(_ count: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<8 {
        group.addTask { [client] in
          for number in stride(from: lane, to: count, by: 8) {
            _ = try await client.send(Request(.get, "/items/\(number)"), as: Data.self)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The lines of standard input, read on a thread of their own.
  private static var lines: AsyncStream<String> {
    AsyncStream { continuation in
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
  }

  private func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
