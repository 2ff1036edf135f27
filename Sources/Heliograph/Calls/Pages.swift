import Foundation
public import Signals

/// The pages of a list, each leading to the next one, read one at a time.
///
/// ```swift
/// let pages = client.pages(request: Request(.get, "/repos", query: ["per_page": 100]), of: Repo.self)
/// for try await page in pages {
///   print(page.value.map(\.name), page.etag ?? "")
/// }
/// ```
/// Nothing is sent before the first page is requested. A page is requested only after the previous one was delivered,
/// and only on demand. Each reading, by a loop or by a subscription, begins with the first page. Memory use is
/// constant, whatever the number of pages.
///
/// Empty pages are delivered like any other. A 304 to a conditional request ends the list without a page. A failure is
/// delivered after the pages before it, and ends the list. Retries, recoveries and the cache apply to each request
/// separately. With ``CachePolicy/cacheThenNetwork`` each page is delivered once, from the network if possible.
///
/// All requests of one reading belong to the same account and, with a service, environment: if one of these changes, even
/// between two pages, the request for the next page fails with ``NetworkError/Code/contextChanged`` and is not sent. If the next
/// page was already read, its request fails with ``NetworkError/Code/pageLoop`` and is not sent. A loop to one of the
/// first 1,024 pages is detected at once, any other loop after at most three times as many requests as there are
/// different pages.
public struct Pages<Body: Decodable & Sendable>: Sendable {
  /// A page: a whole response.
  public typealias Element = Response<Body>
  /// The error with which a page fails.
  public typealias Failure = NetworkError
  typealias Next = @Sendable (Response<Body>) throws -> (any RequestConvertible)?

  let scope: ClientScope
  let request: any RequestConvertible
  let next: Next?

  /// The pages as a cold signal.
  ///
  /// Each subscription reads from the first page on. Pages are delivered on ``NetworkClient/Configuration/processing``.
  /// `take(_:)` and disposal stop the reading: no further page is requested, and a request in flight is cancelled. With
  /// a buffer downstream (`observe(on:)`, `values`) reading pauses at 16 buffered pages and resumes at 4, on
  /// ``NetworkClient/Configuration/processing``.
  public var signal: Signal<Response<Body>, NetworkError> {
    read { .just($0) }
  }

  /// Reads the pages; after a pause, the rest of a page and the next request do not move to the consumer's thread.
  private func read<Output: Sendable>(
    _ deliver: @escaping @Sendable (Response<Body>) -> Signal<Output, NetworkError>
  ) -> Signal<Output, NetworkError> {
    .deferred { PageReader(self).pages(deliver) }.continuing(on: scope.parts.processing).named(after: request)
  }
}

extension Pages where Body: Collection, Body.Element: Sendable {
  /// The elements of all pages as a cold signal; see ``signal``.
  ///
  /// A page is requested when all elements of the previous one have been delivered. With a buffer downstream, reading
  /// pauses at 16 buffered elements and resumes at 4.
  public var elements: Signal<Body.Element, NetworkError> {
    read { .from($0.value) }
  }
}

extension Pages: AsyncSequence {
  /// Creates an iterator, which begins with the first page.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: PageReader(self)) }

  /// An iterator that requests one page per `next()`, without prefetching.
  ///
  /// Its requests belong to the account and environment that were current at its creation.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: PageReader<Body>
    private var isTerminated = false

    init(reader: PageReader<Body>) { self.reader = reader }

    /// Returns the next page, or `nil` after the last one and after a failure.
    ///
    /// - Throws: The failure of the page. Cancelling the task cancels the request and throws
    ///   ``NetworkError/Code/cancelled``.
    public mutating func next() async throws(NetworkError) -> Response<Body>? {
      try await next(isolation: #isolation)
    }

    /// Returns the next page, or `nil` after the last one and after a failure; see ``next()``.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The page.
    /// - Throws: The failure of the page.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Response<Body>? {
      if isTerminated { return nil }
      do throws(NetworkError) {
        if let page = try await reader.scope.first({ _ in reader.page() }) {
          // The identity may have changed while the actor of the caller was busy.
          if let failure = page.staleFailure { throw reader.withAppMessage(failure) }
          return page
        }
        isTerminated = true
        if let failure = reader.staleFailure { throw failure }
        return nil
      } catch {
        isTerminated = true
        throw reader.delivered(error)
      }
    }
  }
}
