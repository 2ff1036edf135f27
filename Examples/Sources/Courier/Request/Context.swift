import Foundation
import Heliograph
import HeliographInspector

/// What every command works with: the places for output, and the options that all commands have.
struct Context: Sendable {
  let output: any Output
  let console: Console
  let input: FileHandle
  private let headers: HTTPHeaders
  private let method: HTTPMethod?
  private let timeout: Duration
  /// The maximum time for the whole command; `nil` for no limit.
  let totalTimeout: Duration?
  let retryLimit: Int
  private let isVerbose: Bool
  private let isExplained: Bool
  private let inspector: NetworkInspector?
  /// The HAR file, if there is to be one.
  private let har: HARMonitor?

  init(
    _ arguments: Arguments, _ output: any Output, _ console: Console, _ input: FileHandle,
    _ environment: [String: String]
  ) throws(Failure) {
    (self.output, self.console, self.input) = (output, console, input)
    method = arguments.value(of: .method).map { HTTPMethod(rawValue: $0) }
    timeout = try arguments.seconds(of: .timeout) ?? .seconds(60)
    totalTimeout = try arguments.seconds(of: .totalTimeout)
    retryLimit = try arguments.count(of: .retry) ?? 3
    isVerbose = arguments.has(.verbose)
    isExplained = arguments.has(.explain)
    headers = try Context.headers(arguments, environment)
    do {
      inspector = try arguments.has(.inspect) ? NetworkInspector() : nil
    } catch {
      throw Failure(error)
    }
    if let inspector { console.write(line: "courier: the requests are at \(inspector.url)") }
    do throws(NetworkError) {
      har = try arguments.value(of: .har).map { path throws(NetworkError) in
        try HARMonitor(file: URL(fileURLWithPath: path)) { console.note($0) }
      }
    } catch {
      throw Failure(error)
    }
  }

  private static func headers(
    _ arguments: Arguments, _ environment: [String: String]
  ) throws(Failure) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for text in arguments.values(of: .header) {
      guard let mark = text.firstIndex(of: ":"), mark > text.startIndex else {
        throw .invalid(text, .header, "a field such as 'Accept: text/plain'")
      }
      let value = text[text.index(after: mark)...].trimmingCharacters(in: .whitespaces)
      headers.add(value, for: String(text[..<mark]))
    }
    if headers["User-Agent"] == nil { headers["User-Agent"] = "courier/\(Courier.version)" }
    let token = arguments.value(of: .bearer) ?? environment["COURIER_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    if let token, headers["Authorization"] == nil {
      do throws(NetworkError) {
        headers["Authorization"] = try Authorization.bearer(token: token).headerValue
      } catch {
        throw Failure(error)
      }
    }
    return headers
  }

  /// Returns a client with the timeouts and the retries, which notes each attempt after the first.
  ///
  /// - Parameters:
  ///   - verb: what such an attempt does again. Default: trying.
  ///   - monitors: further monitors. Default: none.
  /// - Returns: the client.
  func client(verb: String = "trying", monitors: [any Monitor] = []) -> NetworkClient {
    let notes = AttemptMonitor(console: console, verb: verb)
    var trace: [any Monitor] = isVerbose ? [TraceMonitor(console: console)] : []
    if isExplained { trace.append(ExplanationMonitor(console: console)) }
    return NetworkClient(baseURL: nil) {
      $0.idleTimeout = timeout
      $0.retry = Retry(limit: retryLimit)
      $0.monitors = [notes] + trace + monitors
      if let har { $0.monitors.append(har) }
      if let inspector { $0.monitors.append(inspector) }
      // The limit of the options is for one request, and there is only one.
      $0.retryBudget = nil
      // The user has typed the scheme.
      $0.allowsInsecureHTTP = true
    }
  }

  /// Returns a request; `--method` replaces its method.
  func request(_ method: HTTPMethod, _ address: Address, body: RequestBody = .empty) -> Request {
    Request(self.method ?? method, RequestPath(address.text), headers: headers, body: body)
  }

  /// Completes what shows the requests: closes the HAR file, and waits until the user has seen the page.
  func endMonitors() async {
    await har?.close()
    guard inspector != nil, !Task.isCancelled else { return }
    console.note("courier: the command has ended; Ctrl-C ends the inspector")
    while (try? await Task.sleep(for: .seconds(3600))) != nil {}
  }

  /// Writes to the output.
  func write(_ data: Data) throws(Failure) { try output.write(data) }

  /// Writes the body of a response as it arrives; the connection pauses while the output is slow.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - place: the place for the body. Default: the output.
  /// - Throws: a `NetworkError`, or the `Failure` of the place.
  func print(_ request: Request, to place: (any Output)? = nil) async throws {
    var last = Data()
    defer { if place == nil { endLine(after: last) } }
    for try await piece in client().stream(request: request).values {
      if piece.value.isEmpty { continue }
      try (place ?? output).write(piece.value)
      last = piece.value
    }
  }

  /// Ends the last line on a terminal, where the prompt would follow it otherwise.
  func endLine(after data: Data) {
    if output.columns != nil, data.last.map({ $0 != UInt8(ascii: "\n") }) ?? false {
      try? output.write(Data("\n".utf8))
    }
  }
}
