public import Foundation
public import Signals

/// A stage that changes outgoing requests and their responses, asynchronously if needed.
///
/// ```swift
/// struct Versioned: Middleware {
///   func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
///     var request = request
///     request.headers["X-App-Version"] = "1.2"
///     return next(request)
///   }
/// }
/// ```
/// Requests pass the client's middleware first, then the service's, then the request's own. Responses pass them in
/// reverse order. Middleware encloses the redirect chain: it sees the request once, and only the last response.
///
/// Middleware of a client or a service is skipped for requests to origins that are not the client's or the service's
/// own, unless its ``runsForAllOrigins`` is `true`, because its additions are meant for those origins only. Middleware
/// of a request always runs.
///
/// `intercept` has no default implementation: a misspelled method fails to compile, instead of never being called.
public protocol Middleware: Sendable {
  /// A function that passes a request on and returns the events of its response: a head, chunks of the body and
  /// metrics, or a failure.
  typealias Next = @Sendable (HTTPRequest) -> Signal<TransportEvent, NetworkError>

  /// Whether middleware of a client or a service runs for all origins; meant for one that only observes, such as a log.
  ///
  /// Its additions to a request are then sent to every origin. Default: `false`: a client's middleware runs for the
  /// origins of ``NetworkClient/Configuration/owns(_:)``, a service's for its addresses and the
  /// ``NetworkClient/Configuration/trustedOrigins``.
  var runsForAllOrigins: Bool { get }

  /// Passes a request on and returns the events of its response; may change both.
  ///
  /// Called for each attempt, on any thread; it must not block. Asynchronous work is a signal that precedes the
  /// exchange: `Signal.task { … }.flatMap { next($0) }`. A request that is moved from an own origin to one that is not
  /// fails with ``NetworkError/Code/untrustedOrigin``.
  /// - Parameters:
  ///   - request: The built and signed request.
  ///   - next: Sends a request through the remaining middleware. One exchange at a time: call it again only after the
  ///     former one has ended, such as in `catch`.
  /// - Returns: The events to deliver; a failure fails the exchange.
  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError>
}

extension Middleware {
  /// The default: `false`.
  public var runsForAllOrigins: Bool { false }
}

/// A mutable request for filters and signers, with query and form as separate pairs.
public struct RequestDraft: Sendable {
  /// The HTTP method, such as `GET`.
  public var method: HTTPMethod
  /// The absolute URL without ``query``, which is appended to any query in the URL.
  public var url: URL
  /// The parameters to add to the query, in this order.
  public var query: [ParameterPair]
  /// The fields of a form, in this order; empty if the body is not a form.
  public var form: [ParameterPair]
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body; ignored while ``form`` has fields.
  public var body: HTTPBody
  /// The content type that the form has replaced; it applies again if a filter replaces the form with a body.
  var replacedContentType: String?

  /// Creates a draft.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - url: The absolute URL.
  ///   - query: The parameters to add to the query. Default: none.
  ///   - form: The fields of a form. Default: none.
  ///   - headers: The header fields. Default: none.
  ///   - body: The body, if there is no form. Default: none.
  public init(
    method: HTTPMethod = .get, url: URL, query: [ParameterPair] = [], form: [ParameterPair] = [],
    headers: HTTPHeaders = [:], body: HTTPBody = .empty
  ) {
    self.method = method
    self.url = url
    self.query = query
    self.form = form
    self.headers = headers
    self.body = body
  }
}

extension RequestDraft: _Summarized {
  /// The method and the URL on one line, without user, password and query, which may be secret.
  public var description: String { "\(method.rawValue.singleLine) \(url.redacted)" }
  /// The method, the redacted URL, and the names of parameters and header fields, without values and body.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["method": method, "url": url.redacted, "query": query, "form": form, "headers": headers],
      displayStyle: .struct)
  }
}

/// A stage that changes requests before they are signed: adds parameters, rewrites paths.
///
/// Filters run in order, those of the client before those of the service, once for each request that is built. A retry
/// builds the request again from the original description, so nothing is added twice.
public protocol RequestFilter: Sendable {
  /// Changes a request before it is signed.
  ///
  /// Called on any thread, for the first attempt usually the subscriber's; it must not block. A request that is moved
  /// from an own origin to one that is not fails with ``NetworkError/Code/untrustedOrigin``.
  /// - Parameter draft: The request to change.
  /// - Throws: A `client` error to prevent the request from being sent.
  func filter(_ draft: inout RequestDraft) throws(NetworkError)
}

/// A stage that signs requests, so that a server can verify their sender and integrity.
public protocol Signer: Sendable {
  /// Signs a request, after the filters; repeated for every attempt.
  ///
  /// The draft has all parameters, and the header fields of the client, the service, the request and the filters, with
  /// the content type. A form is not encoded yet: a signer of its bytes sets ``RequestDraft/body`` and empties
  /// ``RequestDraft/form``. Later fields are not signed: those that middleware adds, such as the `Authorization` of
  /// `.bearer`, cookies, trace contexts, the cache's conditions, and those of the transport, such as `Host` and
  /// `Content-Length`. A redirect is not signed; within the origin it has the fields that the signer has added to the
  /// header, except for those of an ``HMACSigner``.
  ///
  /// Called on any thread, for the first attempt usually the subscriber's; it must neither block nor use the network.
  /// The signed request may then wait in the queue of a concurrency limit while its timestamp ages: start many signed
  /// transfers in turn, with a task group, a ``Batch`` or a ``Lane``.
  ///
  /// Without a network it is called only if the request has a cache policy, because the signed URL and body identify its
  /// stored response; an ``HMACSigner`` is not called. If it throws then, no stored response is delivered.
  /// - Parameter draft: The request, to which the signature is added.
  ///   A URL of an own origin may move to another own origin only, as with filters.
  /// - Throws: A `client` error if the request cannot be signed; or a status such as `NetworkError(.status(401))`, with
  ///   which a ``Recovery`` begins before anything is sent, and after which the request is signed again.
  func sign(_ draft: inout RequestDraft) throws(NetworkError)
}
