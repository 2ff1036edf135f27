public import Observation
import Signals

/// The items of an endless list, read page by page: a model for a list with pull-to-refresh.
///
/// ```swift
/// let pager = Pager(client.pages(request: "/repos", of: Repo.self))
/// await pager.refresh()
/// ```
/// A view shows ``items``, refreshes when it appears and when it is pulled, such as by `.refreshable { await
/// pager.refresh() }` in SwiftUI, and calls `loadMore(after:)` for each cell that appears, or in SwiftUI ``loadMore()``
/// from a last row. For a search, pass the pages
/// of each new text to ``replace(with:)``. Without Observation, such as in UIKit or an `ObservableObject`, subscribe to
/// `Signal.observing { [weak pager] in pager?.items }`.
///
/// Nothing is sent before the first call. Pages are decoded on ``NetworkClient/Configuration/processing``. The methods
/// change ``isRefreshing``, ``isLoadingMore``, ``hasMore`` and ``error`` at once; pages and failures arrive
/// asynchronously on the main actor. When the pager is deallocated, its requests are cancelled.
@MainActor @Observable public final class Pager<Item: Sendable, Body: Decodable & Sendable> {
  /// The items of a page, and the page that follows; `nil` after the last one.
  private final class LoadedPage: Sendable {
    let page: Response<Body>
    let items: [Item]
    let next: Signal<LoadedPage, NetworkError>?

    init(page: Response<Body>, items: [Item], next: Signal<LoadedPage, NetworkError>?) {
      self.page = page
      self.items = items
      self.next = next
    }
  }

  /// The items of all pages so far, in order; an item that moves between two requests may be there twice, or missing.
  public private(set) var items: [Item] = []
  /// The latest page, with further fields such as a total count; `nil` before the first one.
  public private(set) var page: Response<Body>?
  /// Whether the first page is being loaded, by `refresh()` or ``replace(with:)``.
  public private(set) var isRefreshing = false
  /// Whether the next page is being loaded by ``loadMore()``.
  public private(set) var isLoadingMore = false
  /// Whether there may be more pages; `true` before the first one, and `false` without pages.
  public private(set) var hasMore: Bool
  /// The failure of the latest refresh or page; `nil` once the next one has started.
  public private(set) var error: NetworkError?

  @ObservationIgnored private var pages: Pages<Body>?
  @ObservationIgnored private let lane: Lane?
  @ObservationIgnored private let itemsOfPage: @Sendable (Response<Body>) -> [Item]
  /// The page after the items, read on subscription; the same page each time.
  @ObservationIgnored private var next: Signal<LoadedPage, NetworkError>?
  /// The identity of the pages.
  @ObservationIgnored private var scope: ClientScope?
  /// The request in flight, cancelled when the pager is deallocated.
  @ObservationIgnored private var work = DisposeBag()
  /// The number of pages without items since the last one with items.
  @ObservationIgnored private var emptyCount = 0
  /// Completes when the refresh in flight has ended.
  @ObservationIgnored private var refreshing = PublishSubject<Void, Never>()
  /// Whether the items belong to pages that were replaced.
  @ObservationIgnored private var hasPreviousItems = false

  /// Creates a pager of the elements in the pages' bodies.
  ///
  /// - Parameters:
  ///   - pages: The pages. Default: none before ``replace(with:)``.
  ///   - lane: The lane that enqueues first-page requests, for example to debounce them. Default: none.
  public convenience init(_ pages: Pages<Body>? = nil, in lane: Lane? = nil)
  where Body: Collection, Body.Element == Item {
    self.init(pages, in: lane) { Array($0.value) }
  }

  /// Creates a pager of items extracted from each page.
  ///
  /// - Parameters:
  ///   - pages: The pages. Default: none before ``replace(with:)``.
  ///   - lane: The lane that enqueues first-page requests, for example to debounce them. Default: none.
  ///   - items: Returns the items of a page, on ``NetworkClient/Configuration/processing``.
  public init(
    _ pages: Pages<Body>? = nil, in lane: Lane? = nil, items: @escaping @Sendable (Response<Body>) -> [Item]
  ) {
    self.pages = pages
    self.lane = lane
    itemsOfPage = items
    hasMore = pages != nil
  }

  /// Replaces the pages with those of another request, such as a search for another text, and reads the first one.
  ///
  /// Requests for the previous pages are cancelled. Their items remain until the first new page or its failure arrives,
  /// or until the lane drops or replaces its request.
  /// - Parameter pages: The pages; `nil` removes all items and sends nothing.
  public func replace(with pages: Pages<Body>?) {
    stop()
    self.pages = pages
    (next, hasMore) = (nil, pages != nil)
    hasPreviousItems = true
    scope = nil
    if pages == nil { removeFormerItems() } else { startRefresh() }
  }

  /// Reads the first page again and replaces all items with those of that page; ``loadMore()`` reads the others.
  ///
  /// The old items remain until the page arrives, and after a failure or a 304. Other requests of the pager are
  /// cancelled. Without pages it does nothing.
  public func refresh() { startRefresh() }

  /// Reads the first page again, like the synchronous method, and returns when this refresh has ended.
  ///
  /// A refresh ends with its page, with a failure, which sets ``error``, or when another request of the pager replaces
  /// it. If the task is cancelled, the method returns at once and the refresh continues: SwiftUI also cancels the task
  /// of `.refreshable` when the view is updated. The request is cancelled when the pager is deallocated.
  public func refresh() async {
    startRefresh()
    guard isRefreshing else { return }
    for await _ in refreshing.signal.values {}
  }

  private func startRefresh() {
    guard let first = takeFirst() else { return }
    stop()
    isRefreshing = true
    emptyCount = 0
    read(first) { pager, loaded in pager.items = loaded.items }
  }

  /// Reads the next page and appends its items; ignored while a page is being read and after the last one.
  ///
  /// After a failure, the same page is read again; after ``NetworkError/Code/contextChanged`` it refreshes, because the
  /// pages belong to the former account or environment. Before any page, the first one is read. After a page without items
  /// the next one is read, up to nine times; then ``hasMore`` remains `true`, and the next call continues.
  public func loadMore() {
    guard hasMore, !isRefreshing, !isLoadingMore else { return }
    if next == nil, page != nil { return startRefresh() }
    guard let page = next ?? takeFirst() else { return }
    stop()
    isLoadingMore = true
    read(page) { pager, loaded in pager.items += loaded.items }
  }

  /// Returns the first page, with the current account and environment.
  private func takeFirst() -> Signal<LoadedPage, NetworkError>? {
    guard let pages else { return nil }
    let reader = PageReader(pages)
    scope = reader.scope
    let first = Pager.load(reader, itemsOfPage)
    return lane.map { reader.scope.queued(first, in: $0, for: pages.request) } ?? first
  }

  private func stop() {
    work = DisposeBag()
    error = nil
    end()
  }

  /// Records that no request is in flight, and ends the wait for a refresh.
  private func end() {
    (isRefreshing, isLoadingMore) = (false, false)
    refreshing.complete()
    refreshing = PublishSubject()
  }

  /// Returns the next page of a copy of the reader, so that after a cancellation the same page is read again.
  private nonisolated static func load(
    _ reader: PageReader<Body>, _ items: @escaping @Sendable (Response<Body>) -> [Item]
  ) -> Signal<LoadedPage, NetworkError> {
    .deferred {
      let reader = reader.copy()
      return reader.page().map { page in
        LoadedPage(page: page, items: items(page), next: reader.hasNext ? load(reader, items) : nil)
      }
    }
  }

  private func read(
    _ page: Signal<LoadedPage, NetworkError>, _ show: @escaping @MainActor @Sendable (Pager, LoadedPage) -> Void
  ) {
    // Asynchronously, so that a page from a cache does not change a list during its view's call.
    page.observe(on: .main).subscribeOnMain(
      onValue: { [weak self] loaded in
        guard let self else { return }
        if let failure = loaded.page.staleFailure {
          return fail(pages.map { $0.scope.withAppMessage(failure, for: $0.request) } ?? failure)
        }
        hasPreviousItems = false
        show(self, loaded)
        self.page = loaded.page
        (next, hasMore) = (loaded.next, loaded.next != nil)
        end()
        emptyCount = loaded.items.isEmpty ? emptyCount + 1 : 0
        // Limited, because a server may send nothing but empty pages.
        if loaded.items.isEmpty, !emptyCount.isMultiple(of: 10) { loadMore() }
      },
      onFailure: { [weak self] in self?.fail($0) },
      onCompletion: { [weak self] in self?.complete() }
    ).disposed(by: work)
  }

  private func fail(_ error: NetworkError) {
    removeFormerItems()
    // The identity may have changed since the failure.
    let error = pages.map { $0.scope.delivered(error, for: $0.request) } ?? error
    // The page after the items belongs to the identity of the items, and can never be read.
    if error.code == .contextChanged { (next, hasMore) = (nil, true) }
    if !error.isCancelled { self.error = error }
    end()
  }

  /// Handles a completion, which matters only without a page: after a 304.
  private func complete() {
    if isRefreshing || isLoadingMore, let pages, let failure = scope?.staleFailure(of: pages.request) {
      return fail(failure)
    }
    if isLoadingMore || (isRefreshing && next == nil) { hasMore = false }
    removeFormerItems()
    end()
  }

  private func removeFormerItems() {
    guard hasPreviousItems else { return }
    (items, page, hasPreviousItems) = ([], nil, false)
  }
}

extension Pager where Item: Identifiable {
  /// Reads the next page if an item is the last one of ``items``; call it for each cell that appears.
  ///
  /// If the app hides or sorts items, call ``loadMore()`` for the last cell instead.
  /// - Parameter item: The item of the cell.
  public func loadMore(after item: Item) {
    if items.last?.id == item.id { loadMore() }
  }
}

extension Pager where Item: Equatable {
  /// Reads the next page if an item is the last one of ``items``; call it for each cell that appears.
  ///
  /// If the app hides or sorts items, call ``loadMore()`` for the last cell instead.
  /// - Parameter item: The item of the cell.
  @_disfavoredOverload
  public func loadMore(after item: Item) {
    if items.last == item { loadMore() }
  }
}
