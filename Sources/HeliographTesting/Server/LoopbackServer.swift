public import Foundation
public import Heliograph

/// A real HTTP/1.1 server on 127.0.0.1, without TLS, with scripted responses and a log of connections and requests.
///
/// A response may be delayed, chunked, truncated or never sent. IPv6 is not supported. The server runs from `init`
/// until `stop()` or deinit, on its own thread, and holds thousands of idle connections. Every method may be called
/// from any thread. A client's close is logged within milliseconds, whatever the server is doing for that client. A
/// client that half-closes (FIN) receives what can be written immediately; the next delay, hold or route with a task
/// closes the connection.
///
///     let server = try LoopbackServer()
///     server.route("GET", "/greeting") { _ in .text("hello") }
///     server.route("GET", "/stuck") { _ in .never }
public final class LoopbackServer: Sendable {
  /// The port that the server listens on.
  public let port: UInt16

  /// The base URL `http://127.0.0.1:port`, without a trailing slash.
  public let baseURL: URL

  private let routes = RouteTable()
  private let serverLog: ServerLog
  private let wakeup: Wakeup
  private let thread = LoopThread()

  /// Starts a server, which listens when this initializer returns.
  ///
  /// Starting it also raises the process's soft limit on open files.
  ///
  /// - Parameter port: The port, or 0 for a free port. Default: 0.
  /// - Throws: An error that names the failed system call and its `errno`; `bind` with `EADDRINUSE` if the port is in
  ///   use.
  public convenience init(port: UInt16 = 0) throws {
    try self.init(port: port, bodyByteLimit: RequestParser.bodyByteLimit)
  }

  /// Starts a server, for tests or for a browser, on a port, or a free one for 0; a body over the limit receives 413.
  package init(port: UInt16, bodyByteLimit: Int, keepsLog: Bool = true) throws {
    Socket.raiseDescriptorLimit()
    wakeup = try Wakeup()
    serverLog = ServerLog(wakeup: wakeup, bodyByteLimit: bodyByteLimit, keepsEntries: keepsLog)
    let listener = try Socket.listening(on: port)
    do throws(LoopbackServerError) {
      self.port = try listener.localPort()
      guard let url = URL(string: "http://127.0.0.1:\(self.port)") else {
        throw LoopbackServerError(operation: "url", code: 0)
      }
      baseURL = url
    } catch {
      listener.close()
      throw error
    }
    thread.start { [routes, serverLog, wakeup] in
      EventLoop(listener: listener, routes: routes, serverLog: serverLog, wakeup: wakeup).run()
    }
  }

  deinit {
    stop()
  }

  /// Returns the absolute URL of a path with an optional query, such as `/users?page=2`; a missing leading slash is
  /// added.
  public func url(_ path: String) -> URL {
    let path = path.hasPrefix("/") ? path : "/" + path
    return URL(string: baseURL.absoluteString + path) ?? baseURL.appendingPathComponent(path)
  }

  /// Adds a route for a method and a path.
  ///
  /// If several routes match, the one with the most conditions in its path responds; ties go to the one with the most
  /// literal segments, then to the latest. A method other than `*` and a path without `**` count as one more segment
  /// each. A request that matches no route receives 404 with a JSON body, which names the nearest route and the
  /// difference. A GET route also responds to HEAD requests that no HEAD route matches. Responses to HEAD have no body.
  /// A head of more than 64 KiB receives 431, a body of more than 1 GiB 413. `respond` is called on the server's
  /// thread, one request at a time, after the request was received with its whole body and logged. While it runs, the
  /// server serves nothing else, so it must not block. A route that retains its server strongly prevents the stop at
  /// deinit.
  ///
  /// - Parameters:
  ///   - method: The method as in the request, or `*` for any method.
  ///   - path: The path, percent-decoded or as sent. `*` matches any segment, a final `**` any remaining segments, `*`
  ///     alone any path. A query in the path is a condition, and so is the host of an absolute URL.
  ///   - respond: Returns the response to a request; an error that it throws is sent as text, with the status 500.
  public func route(
    _ method: HTTPMethod, _ path: String, _ respond: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
  ) {
    routes.add(
      method, path,
      .synchronous { request in
        do { return try respond(request) } catch { return .thrown(error) }
      })
  }

  /// Adds a route whose response is computed in a task, which is cancelled when the connection closes.
  ///
  /// During the task the server serves other connections, but no further request on the same one. A closure of an actor
  /// is declared `async`: `{ @MainActor request async in … }`. Otherwise the compiler takes the synchronous variant,
  /// which cannot run on an actor: an error, or in the language mode Swift 5 a warning and a trap when the route
  /// responds.
  ///
  /// - Parameters:
  ///   - method: The method as in the request, or `*` for any method.
  ///   - path: The path, as for a route with a synchronous closure.
  ///   - respond: Returns the response to a request; an error that it throws is sent as text, with the status 500.
  public func route(
    _ method: HTTPMethod, _ path: String,
    _ respond: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
  ) {
    routes.add(
      method, path,
      .asynchronous { request in
        do { return try await respond(request) } catch { return .thrown(error) }
      })
  }

  /// Closes every socket, frees the port and ends the thread; the log remains available.
  ///
  /// The method returns when the server has stopped. If it is called in a route or a condition, on the server's own
  /// thread, it returns immediately and the server stops afterwards. Further calls have no effect.
  public func stop() {
    wakeup.requestStop()
    thread.join()
  }

  /// A snapshot of all connections and requests so far.
  public var log: LoopbackLog { serverLog.log }

  /// Removes the requests and their bodies from the log; connections remain, and request indices continue.
  public func forgetRequests() {
    serverLog.forgetRequests()
  }

  /// Waits, without polling, until the log satisfies a condition.
  ///
  /// The condition is called on the server's thread, initially and after each iteration of the server's loop in which
  /// the log changed. If the server has stopped or the task was cancelled before the wait, it is called once, on the
  /// task's thread. It must not block. Prefer a count that only increases: a state that ends within the same
  /// iteration is not observed.
  ///
  /// - Parameters:
  ///   - timeout: The maximum wait, at most one day. Default: 30 seconds.
  ///   - condition: The condition to wait for.
  /// - Returns: Whether the condition held, before the timeout, the cancellation of the task or the stop of the server.
  @discardableResult
  public func wait(
    for timeout: Duration = .seconds(30), until condition: @escaping @Sendable (LoopbackLog) -> Bool
  ) async -> Bool {
    await serverLog.wait(for: timeout, until: condition)
  }
}

extension LoopbackResponse {
  /// The response of a route that has thrown an error.
  fileprivate static func thrown(_ error: any Error) -> LoopbackResponse {
    .text("the route threw \(error)", status: 500)
  }
}
