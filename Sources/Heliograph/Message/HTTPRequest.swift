public import Foundation

/// What goes over the wire: everything is decided, nothing is left to defaults.
public struct HTTPRequest: Sendable, Hashable {
  /// The method.
  public var method: HTTPMethod {
    get { box.contents.method }
    set { set { $0.method = newValue } }
  }
  /// An absolute `http` or `https` address.
  public var url: URL {
    get { box.contents.url }
    set { set { $0.url = newValue } }
  }
  /// The header fields.
  ///
  /// A transport adds what the protocol needs, such as `Host` and `Content-Length`.
  public var headers: HTTPHeaders {
    get { box.contents.headers }
    set { set { $0.headers = newValue } }
  }
  /// The body.
  public var body: HTTPBody {
    get { box.contents.body }
    set { set { $0.body = newValue } }
  }
  /// How long the exchange may be silent before it fails.
  ///
  /// Default: 60 seconds.
  public var timeout: Duration {
    get { box.contents.timeout }
    set { set { $0.timeout = newValue } }
  }
  /// How long the whole exchange may take, from the subscription on: waiting for its turn and redirects included.
  ///
  /// Default: `nil`, for as long as something comes.
  public var deadline: Duration? {
    get { box.contents.deadline }
    set { set { $0.deadline = newValue } }
  }
  /// What is refused as too much.
  public var limits: ResponseLimits {
    get { box.contents.limits }
    set { set { $0.limits = newValue } }
  }
  /// Whether it may be sent once more, if a connection that was kept from an earlier exchange turns out to be closed
  /// before any answer has come.
  ///
  /// Default: what the method says (RFC 9110 §9.2.2), so a `POST` is not sent twice.
  public var isRepeatable: Bool {
    get { box.contents.isRepeatable }
    set { set { $0.isRepeatable = newValue } }
  }
  /// Whether it starts before or after others that wait for a place.
  ///
  /// Default: ``RequestPriority/normal``.
  public var priority: RequestPriority {
    get { box.contents.priority }
    set { set { $0.priority = newValue } }
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method. Default: `GET`.
  ///   - url: an absolute address.
  ///   - headers: the header fields. Default: none.
  ///   - body: the body. Default: none.
  ///   - timeout: how long the exchange may be silent. Default: 60 seconds.
  ///   - deadline: how long all of it may take. Default: no such limit.
  ///   - limits: what is refused as too much. Default: see ``ResponseLimits``.
  ///   - isRepeatable: whether it may be sent again on another connection. Default: what the method says.
  ///   - priority: whether it starts before or after others that wait. Default: ``RequestPriority/normal``.
  public init(
    method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
    timeout: Duration = .seconds(60), deadline: Duration? = nil, limits: ResponseLimits = ResponseLimits(),
    isRepeatable: Bool? = nil, priority: RequestPriority = .normal
  ) {
    box = Box(
      Contents(
        method: method, url: url, headers: headers, body: body, timeout: timeout, deadline: deadline, limits: limits,
        isRepeatable: isRepeatable ?? method.isIdempotent, priority: priority))
  }

  /// What it holds, apart: as one word it is cheap to hand on, which is done often.
  private struct Contents: Sendable, Hashable {
    var method: HTTPMethod
    var url: URL
    var headers: HTTPHeaders
    var body: HTTPBody
    var timeout: Duration
    var deadline: Duration?
    var limits: ResponseLimits
    var isRepeatable: Bool
    var priority: RequestPriority
  }

  private final class Box: Sendable {
    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }
  }

  private var box: Box

  private mutating func set(_ change: (inout Contents) -> Void) {
    var contents = box.contents
    change(&contents)
    box = Box(contents)
  }

  /// Whether both say the same.
  public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool { left.box.contents == right.box.contents }

  /// Hashes all that it says.
  public func hash(into hasher: inout Hasher) { hasher.combine(box.contents) }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and address on one line, without user, password and query, which may be secret.
  public var description: String { "\(method.rawValue.singleLine) \(url.redacted)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Method, redacted address and header fields; neither query nor body.
  public var customMirror: Mirror {
    Mirror(self, children: ["method": method, "url": url.redacted, "headers": headers], displayStyle: .struct)
  }
}

extension URL {
  /// The address without what may be secret: user, password, query and fragment; percent-escapes stay.
  package var redacted: String { absoluteString.redactedAddress }

  /// Scheme, host and port: what credentials belong to.
  ///
  /// RFC 6454 §4.
  package var origin: String {
    let scheme = (scheme ?? "").lowercased()
    let port = port ?? (scheme == "https" ? 443 : 80)
    return "\(scheme)://\((host ?? "").lowercased()):\(port)"
  }
}
