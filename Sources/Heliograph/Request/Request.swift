/// What a caller wants: a method, a place, and what to send there.
///
/// All that is not said has a default.
///
/// ```swift
/// let search = Request(.get, "/products", parameters: ["q": "lamp", "page": 2])
/// ```
/// It is a value without behaviour; ``RequestBuilder`` makes it into an ``HTTPRequest``.
public struct Request: Sendable, RequestConvertible {
  /// The method.
  public var method: HTTPMethod {
    get { box.contents.method }
    set { set { $0.method = newValue } }
  }
  /// A path below the service's address, or an absolute address.
  ///
  /// It may have a query of its own. To an absolute address nothing is sent of what the service or the client adds, unless
  /// it is of an own origin: see ``RequestBuilder/owns(_:)``.
  public var path: String {
    get { box.contents.path }
    set { set { $0.path = newValue } }
  }
  /// Which service it goes to; `nil` means the client's own base address.
  public var service: ServiceID? {
    get { box.contents.service }
    set { set { $0.service = newValue } }
  }
  /// What is added to the query, in this order, whatever the method.
  public var query: Parameters {
    get { box.contents.query }
    set { set { $0.query = newValue } }
  }
  /// What is sent in the query or in the body, as the method and the service have it; see ``ParameterPlacement``.
  public var parameters: Parameters {
    get { box.contents.parameters }
    set { set { $0.parameters = newValue } }
  }
  /// Header fields; they replace common ones of the same name.
  public var headers: HTTPHeaders {
    get { box.contents.headers }
    set { set { $0.headers = newValue } }
  }
  /// The body; `.empty` means what the parameters make.
  public var body: RequestBody {
    get { box.contents.body }
    set { set { $0.body = newValue } }
  }
  /// How it is to be sent, where not as its service says.
  public var options: RequestOptions {
    get { box.contents.options }
    set { set { $0.options = newValue } }
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - path: a path below the service's address, or an absolute address.
  ///   - service: which service it goes to. Default: none, so the client's own base address counts.
  ///   - query: what is added to the query, whatever the method. Default: nothing.
  ///   - parameters: what is sent in the query or in the body. Default: nothing.
  ///   - headers: header fields. Default: the common ones.
  ///   - body: the body. Default: what the parameters make.
  ///   - options: how it is to be sent. Default: as the service says.
  public init(
    _ method: HTTPMethod, _ path: String, service: ServiceID? = nil, query: Parameters = Parameters(),
    parameters: Parameters = Parameters(), headers: HTTPHeaders = [:], body: RequestBody = .empty,
    options: RequestOptions = RequestOptions()
  ) {
    box = Box(
      Contents(
        method: method, path: path, service: service, query: query, parameters: parameters, headers: headers,
        body: body, options: options))
  }

  /// The request itself.
  public func asRequest() -> Request { self }

  /// What it holds, apart: as one word it is cheap to hand on, which is done often.
  private struct Contents: Sendable {
    var method: HTTPMethod
    var path: String
    var service: ServiceID?
    var query: Parameters
    var parameters: Parameters
    var headers: HTTPHeaders
    var body: RequestBody
    var options: RequestOptions
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
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and path on one line, without the query, which may be secret.
  public var description: String { "\(method.rawValue.singleLine) \(path.redactedAddress)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Method, redacted path, names of parameters and header fields; neither values nor body.
  public var customMirror: Mirror {
    let children: KeyValuePairs<String, Any> = [
      "method": method, "path": path.redactedAddress, "query": query, "parameters": parameters, "headers": headers,
    ]
    return Mirror(self, children: children, displayStyle: .struct)
  }
}
