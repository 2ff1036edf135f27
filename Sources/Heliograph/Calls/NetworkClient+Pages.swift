import Signals

/// Lists that a server delivers page by page.
extension NetworkClient {
  /// Returns the pages of a list; each body is an array, and each page links to the next one, as in GitHub's API.
  ///
  /// See ``pages(request:as:)-(RequestConvertible,_)`` for the links.
  /// - Parameters:
  ///   - request: The request of the first page.
  ///   - type: The type of an element.
  /// - Returns: The pages; nothing is sent yet.
  public func pages<Element: Decodable & Sendable>(
    request: some RequestConvertible, of type: Element.Type
  ) -> Pages<[Element]> {
    pages(request: request, as: [Element].self)
  }

  /// Returns the pages of a list in which each page links to the next one: a `Link` field with `rel="next"` (RFC 8288).
  ///
  /// The next request is a `GET` of the link with the service, the options and the header fields of the first
  /// request, but without its parameters, which are in the link, and without `If-…`, `Range` and `Idempotency-Key`.
  /// The service's own parameters are still added: if the server repeats them in its links, compute the next request
  /// with ``pages(request:as:next:)-(RequestConvertible,_,_)``.
  ///
  /// A link to another ``Origin`` is followed without the header fields that a redirect would drop, and without the
  /// request's own signature, filters and middleware for its own origins. Additions of the client and the service are
  /// sent to their own origins only: see ``Configuration/owns(_:)``. A link from https to http fails with
  /// ``NetworkError/Code/insecureAddress``.
  /// - Parameters:
  ///   - request: The request of the first page.
  ///   - type: The type of a page's body.
  /// - Returns: The pages; nothing is sent yet.
  public func pages<Body: Decodable & Sendable>(request: some RequestConvertible, as type: Body.Type) -> Pages<Body> {
    Pages(scope: scope, request: request, next: nil)
  }

  /// Returns the pages of a list in which each page links to the next one; their bodies have the request's type
  /// ``RequestConvertible/Output``.
  ///
  /// See ``pages(request:as:)-(RequestConvertible,_)`` for the links.
  /// - Parameter request: The request of the first page; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The pages; nothing is sent yet.
  public func pages<Body: Decodable & Sendable>(request: some RequestConvertible<Body>) -> Pages<Body> {
    pages(request: request, as: Body.self)
  }

  /// Returns the pages of a list; a closure computes each next request, such as from a cursor.
  ///
  /// ```swift
  /// let first = Request(.get, "/search", query: ["q": "lamp"])
  /// let pages = client.pages(request: first, as: SearchPage.self) { page in
  ///   page.value.cursor.map { Request(.get, "/search", query: ["q": "lamp", "cursor": $0]) }
  /// }
  /// ```
  /// - Parameters:
  ///   - request: The request of the first page.
  ///   - type: The type of a page's body.
  ///   - next: Returns the request for the page that follows, which is sent unchanged, or `nil` after the last page.
  ///     It is called when that page is requested, on any thread. A ``Pager`` calls it when the previous page has been
  ///     read, on ``Configuration/processing``, to know ``Pager/hasMore``. A ``NetworkError`` that it throws is delivered
  ///     unchanged, any other error as ``NetworkError/Code/transformFailed``. For loop detection, requests are the same
  ///     if their method, address, parameters, header fields and body are; streams are the same only if they are copies
  ///     of one ``BodyStream``.
  /// - Returns: The pages; nothing is sent yet.
  public func pages<Body: Decodable & Sendable>(
    request: some RequestConvertible, as type: Body.Type,
    next: @escaping @Sendable (Response<Body>) throws -> (any RequestConvertible)?
  ) -> Pages<Body> {
    Pages(scope: scope, request: request, next: next)
  }

  /// Returns the pages of a list that begins with a typed request; a closure computes each next request.
  ///
  /// See ``pages(request:as:next:)-(RequestConvertible,_,_)``.
  /// - Parameters:
  ///   - request: The request of the first page, with the type of a page's body.
  ///   - next: Returns the request for the page that follows, or `nil` after the last page.
  /// - Returns: The pages; nothing is sent yet.
  public func pages<Body: Decodable & Sendable>(
    request: some RequestConvertible<Body>,
    next: @escaping @Sendable (Response<Body>) throws -> (any RequestConvertible)?
  ) -> Pages<Body> {
    pages(request: request, as: Body.self, next: next)
  }

  /// Returns the pages of a list whose first request may be a string literal.
  ///
  /// The parameters are those of ``pages(request:of:)-(RequestConvertible,_)``.
  public func pages<Element: Decodable & Sendable>(request: Request, of type: Element.Type) -> Pages<[Element]> {
    pages(request: request.general, of: type)
  }

  /// Returns the pages of a list whose first request may be a string literal.
  ///
  /// The parameters are those of ``pages(request:as:)-(RequestConvertible,_)``.
  public func pages<Body: Decodable & Sendable>(request: Request, as type: Body.Type) -> Pages<Body> {
    pages(request: request.general, as: type)
  }

  /// Returns the pages of a list whose first request may be a string literal.
  ///
  /// The parameters are those of ``pages(request:as:next:)-(RequestConvertible,_,_)``.
  public func pages<Body: Decodable & Sendable>(
    request: Request, as type: Body.Type,
    next: @escaping @Sendable (Response<Body>) throws -> (any RequestConvertible)?
  ) -> Pages<Body> {
    pages(request: request.general, as: type, next: next)
  }
}
