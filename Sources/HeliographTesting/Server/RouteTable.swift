import Foundation
import Heliograph

/// The routes of a server, written by any thread and read by the loop.
final class RouteTable: Sendable {
  enum Handler: Sendable {
    case synchronous(@Sendable (LoopbackRequest) -> LoopbackResponse)
    case asynchronous(@Sendable (LoopbackRequest) async -> LoopbackResponse)
  }

  private struct Route: Sendable {
    let method: HTTPMethod
    let path: RoutePath
    let handler: Handler

    /// The specificity of the route: conditions first, then literal segments and the method.
    var specificity: (Int, Int) { (path.conditionCount, path.literalCount + (method == "*" ? 0 : 1)) }

    func differences(from request: LoopbackRequest, at target: RouteTarget) -> [RouteDifference] {
      let isMethod = method == "*" || method == request.method
      let text = "the method is \(request.method), not \(method)"
      return (isMethod ? [] : [RouteDifference(text: text)]) + path.differences(from: target)
    }
  }

  private let routes = Guarded<[Route]>([])

  func add(_ method: HTTPMethod, _ path: String, _ handler: Handler) {
    routes.withLock { $0.append(Route(method: method, path: RoutePath(path), handler: handler)) }
  }

  /// Returns the handler of the most specific route, the latest of several; for HEAD also of GET routes, unless a HEAD
  /// route matches.
  func handler(for request: LoopbackRequest) -> Handler {
    let current = routes.withLock { $0 }
    let target = RouteTarget(request.target, authority: request.header("Host") ?? "")
    let reachable = current.filter { $0.path.matches(target) }
    let hasHeadRoute = reachable.contains { $0.method == .head }
    let method = request.method == .head && !hasHeadRoute ? .get : request.method
    let matching = reachable.filter { $0.method == method || $0.method == "*" }
    if let best = matching.mostSpecific(by: \.specificity) { return best.handler }
    let nearest = current.map { route in
      (route: "\(route.method) \(route.path.displayText)", differences: route.differences(from: request, at: target))
    }.nearest
    let fields = [
      "error": "no route", "method": request.method.rawValue, "target": request.target,
      "reason": nearest ?? "the server has no routes",
    ]
    return .synchronous { _ in .json(fields, status: 404) }
  }
}
