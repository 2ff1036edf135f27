public import Foundation
public import Heliograph
import HeliographTesting

/// A monitor for debug builds that shows requests, while they run, in a browser on the same machine.
///
/// ```swift
/// let inspector = try NetworkInspector()
/// print("Requests: \(inspector.url)")
/// let client = NetworkClient(baseURL: apiURL) { $0.monitors = [inspector] }
/// ```
/// The page lists each request with its attempts and redirects, status, source and a waterfall, and shows header fields,
/// bodies, phases, cache events and the attribution of errors. It has no external resources, and shows bodies as text only.
///
/// The server listens on 127.0.0.1 only, from the initializer until ``stop()`` or deinit, on a thread of its own. Anyone with
/// ``url`` can read the requests: its random token is required, and other hosts and origins are refused with 403.
/// Secrets are redacted as by ``/Heliograph/ConsoleMonitor``. Several clients may share an inspector.
///
/// Events are stored unprocessed as long as their bodies are within the limit; texts are rendered when a page asks.
/// Beyond the limits, the oldest bodies and the oldest exchanges are dropped.
public final class NetworkInspector: Monitor {
  /// The URL of the page, such as `http://127.0.0.1:49152/4f…/`, with a token that is different in every run.
  public let url: URL

  private let server: LoopbackServer
  private let inspector: InspectorServer

  /// Starts an inspector, which accepts requests when this initializer returns.
  ///
  /// It also raises the process's soft limit of open files.
  ///
  /// - Parameters:
  ///   - exchangeLimit: The maximum number of exchanges, attempts and redirects, with their header fields. Default:
  ///     10,000.
  ///   - totalBodyByteLimit: The maximum size in bytes of all bodies together; at most 1 MiB of each is stored. Bodies that
  ///     no page has requested yet may occupy the same amount in addition. 0 stores none. Default: 50 MB.
  ///   - includesSecrets: Whether secrets, and bodies other than forms and JSON, are shown. Default: `false`.
  /// - Throws: An error that names the failed system call, if the server cannot be started.
  public init(
    exchangeLimit: Int = 10_000, totalBodyByteLimit: Int = 50_000_000, includingSecrets includesSecrets: Bool = false
  ) throws {
    let server = try LoopbackServer(port: 0, bodyByteLimit: 0, keepsLog: false)
    let gate = InspectorGate(port: server.port, token: InspectorGate.makeToken())
    // An exchange has about six events.
    let pending = PendingEvents(limit: 6 * min(max(1, exchangeLimit), 1_000_000), byteLimit: totalBodyByteLimit)
    let inspector = InspectorServer(
      pending, InspectorLog(exchangeLimit: exchangeLimit, bodyByteLimit: totalBodyByteLimit), gate,
      InspectorText(isRedacted: !includesSecrets))
    self.server = server
    self.inspector = inspector
    url = server.url("/\(gate.token)/")
    // One route: a reply to an unknown path would name the nearest one.
    server.route("*", "*") { request async in await inspector.respond(to: request) }
  }

  deinit { server.stop() }

  /// Stores an event.
  public func observe(_ event: MonitorEvent) { inspector.observe(event) }

  /// Stops the server, closes its connections and forgets all exchanges; later events are ignored.
  ///
  /// Further calls have no effect.
  public func stop() {
    server.stop()
    inspector.stop()
  }
}
