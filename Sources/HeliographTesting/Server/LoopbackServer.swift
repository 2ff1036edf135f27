public import Foundation

/// A real HTTP/1.1 server on 127.0.0.1 that answers as told, late, in pieces or not at all, and writes down what it saw.
///
/// It runs from `init` until `stop()` or deinit, on one thread of its own, and holds thousands of idle connections.
/// Every method may be called from any thread. A client's close is logged within milliseconds, whatever the server was
/// doing for it. A client that only half-closes (FIN) gets what can be written at once; waiting for it ends.
///
///     let server = try LoopbackServer()
///     server.route("GET", "/greeting") { _ in .text("hello") }
///     server.route("GET", "/stuck") { _ in .never }
public final class LoopbackServer: Sendable {
  /// The port it listens on.
  public let port: UInt16

  /// `http://127.0.0.1:port`, without a slash at the end.
  public let baseURL: URL

  private let routes = RouteTable()
  private let ledger: Ledger
  private let wakeup: Wakeup
  private let thread = LoopThread()

  /// Starts a server, which is listening when this returns; it also raises the process's soft limit of open files.
  ///
  /// - Parameter port: the port, or 0 (the default) for one that is free.
  /// - Throws: the failed system call; `bind` with `EADDRINUSE` when the port is taken.
  public init(port: UInt16 = 0) throws(LoopbackServerError) {
    Socket.raiseDescriptorLimit()
    wakeup = try Wakeup()
    ledger = Ledger(wakeup: wakeup)
    let listener = try Socket.listening(on: port)
    do throws(LoopbackServerError) {
      self.port = try listener.localPort()
    } catch {
      listener.close()
      throw error
    }
    guard let url = URL(string: "http://127.0.0.1:\(self.port)") else {
      listener.close()
      throw LoopbackServerError(operation: "url", code: 0)
    }
    baseURL = url
    thread.start { [routes, ledger, wakeup] in
      EventLoop(listener: listener, routes: routes, ledger: ledger, wakeup: wakeup).run()
    }
  }

  deinit {
    stop()
  }

  /// The URL of a path on this server.
  ///
  /// - Parameter path: the path with its query if any, such as `/users?page=2`; a missing slash in front is added.
  /// - Returns: the absolute URL.
  public func url(_ path: String) -> URL {
    let path = path.hasPrefix("/") ? path : "/" + path
    return URL(string: baseURL.absoluteString + path) ?? baseURL.appendingPathComponent(path)
  }

  /// Answers requests of a method and a path; later routes win over earlier ones.
  ///
  /// What no route matches gets 404 with a JSON body. A HEAD without a HEAD route is answered by the GET route, and
  /// without a body either way. The route is called on the server's thread, one request at a time and after its request
  /// is in the log; while it runs nothing else is served, so it must not wait. A route that holds its server strongly
  /// keeps it from stopping at deinit.
  ///
  /// - Parameters:
  ///   - method: the method in the spelling of the request, or `*` for any.
  ///   - path: the percent-decoded path without a query, or, with `*` at its end, the beginning of one.
  ///   - respond: makes the response.
  public func route(
    _ method: String, _ path: String, _ respond: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse
  ) {
    routes.add(method, path, respond)
  }

  /// Closes every socket, frees the port and ends the thread; the log stays.
  ///
  /// Returns when all is done, except on the server's own thread (in a route or a condition), where it follows. Calling
  /// it again does nothing.
  public func stop() {
    wakeup.requestStop()
    thread.join()
  }

  /// What the server has seen up to now: a value that no longer changes.
  public var log: LoopbackLog { ledger.log }

  /// Drops the requests and their bodies from the log; connections stay, and requests keep counting on.
  public func forgetRequests() {
    ledger.forgetRequests()
  }

  /// Waits, without polling, until the log fulfils a condition.
  ///
  /// The condition is called on the server's thread, at the beginning and after each turn in which the log changed. It
  /// must not wait, and is best a count reached or passed: a state that ends within the same turn is not seen.
  ///
  /// - Parameters:
  ///   - timeout: the longest wait, 30 seconds unless told, at most a day.
  ///   - condition: what to wait for.
  /// - Returns: whether the condition held; `false` after the timeout, on cancellation, and when the server stopped first.
  @discardableResult
  public func wait(
    for timeout: Duration = .seconds(30), until condition: @escaping @Sendable (LoopbackLog) -> Bool
  ) async -> Bool {
    await ledger.wait(for: timeout, until: condition)
  }
}
