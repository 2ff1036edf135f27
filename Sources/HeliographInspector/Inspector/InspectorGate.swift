import Heliograph
import HeliographTesting

/// The rules for requests to the inspector: its token, its own host names, its own origins.
///
/// A page of another site can send requests to this machine, but knows no token and has another `Origin`. A host name
/// rebound to 127.0.0.1 (DNS rebinding) arrives as another `Host`.
struct InspectorGate: Sendable {
  enum Resource: Sendable, Equatable {
    case page
    case changes(after: Int)
    case exchange(key: Int)
    case archive
    case refused(status: Int)
  }

  let token: String
  private let authorities: Set<String>

  /// Creates the rules for a server's port, and for the token that is the first segment of each path.
  init(port: UInt16, token: String) {
    self.token = token
    authorities = ["127.0.0.1:\(port)", "localhost:\(port)"]
  }

  static func makeToken() -> String { UInt128.random(in: .min ... .max).hexadecimal }

  /// Returns the resource of a request; a refusal does not say which rule was broken.
  func resource(for request: LoopbackRequest) -> Resource {
    guard let host = request.header("Host"), authorities.contains(host.lowercased()), isOwn(request.header("Origin"))
    else { return .refused(status: 403) }
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count > 1, isToken(segments[1]) else { return .refused(status: 403) }
    guard [.get, .head].contains(request.method) else { return .refused(status: 405) }
    func number(_ name: String) -> Int? { request.queryValue(name).flatMap { Int($0) } }
    switch segments.dropFirst(2).joined(separator: "/") {
    case "" where segments.count == 3: return .page
    case "har": return .archive
    case "changes": return number("after").map { .changes(after: $0) } ?? .refused(status: 400)
    case "exchange": return number("key").map { .exchange(key: $0) } ?? .refused(status: 400)
    default: return .refused(status: 404)
    }
  }

  private func isOwn(_ origin: String?) -> Bool {
    guard let origin = origin?.lowercased() else { return true }
    return authorities.contains { origin == "http://\($0)" }
  }

  /// Compares a text with the token in a time that does not depend on the number of equal characters.
  private func isToken(_ text: Substring) -> Bool {
    let (given, own) = (Array(text.utf8), Array(token.utf8))
    return given.count == own.count && zip(given, own).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
