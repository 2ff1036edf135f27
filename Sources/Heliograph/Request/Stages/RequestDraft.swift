public import Foundation

/// A request on its way to the wire whose parts are still apart: what filters and signers see.
public struct RequestDraft: Sendable {
  /// The method.
  public var method: HTTPMethod
  /// The absolute address, without what is in ``query``; it may have a query of its own, which comes first.
  public var url: URL
  /// What is added to the query, in this order.
  public var query: [ParameterPair]
  /// The fields of a form, in this order; empty if the body is none.
  public var form: [ParameterPair]
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body, if it is no form.
  public var body: HTTPBody

  /// Makes a draft.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - url: the absolute address.
  ///   - query: what is added to the query. Default: nothing.
  ///   - form: the fields of a form. Default: none.
  ///   - headers: the header fields. Default: none.
  ///   - body: the body, if it is no form. Default: none.
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

extension RequestDraft: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and address on one line, without user, password and query, which may be secret.
  public var description: String { "\(method.rawValue.singleLine) \(url.redacted)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Method, redacted address, names of parameters and header fields; neither values nor body.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["method": method, "url": url.redacted, "query": query, "form": form, "headers": headers],
      displayStyle: .struct)
  }
}
