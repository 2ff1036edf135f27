import Signals

/// The routes of a server, written by any thread and read by the loop.
final class RouteTable: Sendable {
  typealias Respond = @Sendable (LoopbackRequest) -> LoopbackResponse

  private struct Route: Sendable {
    let method: String
    let path: String
    let isPrefix: Bool
    let respond: Respond

    func matches(_ requestPath: String) -> Bool {
      isPrefix ? requestPath.hasPrefix(path) : requestPath == path
    }
  }

  private let routes = Guarded<[Route]>([])

  func add(_ method: String, _ path: String, _ respond: @escaping Respond) {
    let isPrefix = path.hasSuffix("*")
    let route = Route(
      method: method, path: isPrefix ? String(path.dropLast()) : path, isPrefix: isPrefix, respond: respond)
    routes.withLock { $0.append(route) }
  }

  /// Responds with the last matching route; for HEAD, a HEAD route precedes all others and a GET route is the fallback.
  func respond(to request: LoopbackRequest) -> LoopbackResponse {
    let current = routes.withLock { $0 }
    let method = request.method
    if method == "HEAD", let route = current.last(where: { $0.method == "HEAD" && $0.matches(request.path) }) {
      return route.respond(request)
    }
    let wanted = method == "HEAD" ? "GET" : method
    let route = current.last { ($0.method == wanted || $0.method == "*") && $0.matches(request.path) }
    return route?.respond(request) ?? Self.notFound(request)
  }

  private static func notFound(_ request: LoopbackRequest) -> LoopbackResponse {
    let target = request.target.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.value < 0x20: " "
      default: "\(scalar)"
      }
    }
    return .json(#"{"error":"no route","method":"\#(request.method)","target":"\#(target.joined())"}"#, status: 404)
  }
}
