public import Observation
public import Signals

/// The items of an endless list, read page by page: a model for a list with pull-to-refresh.
///
/// ```swift
/// let pager = Pager(client.pages(request: "/repos", of: Repo.self))
/// pager.refresh()
/// ```
/// A view shows ``items``, calls ``refresh()`` when it appears and is pulled, and `loadMore(after:)` for each cell that
/// appears. Without Observation, such as in UIKit or an `ObservableObject`, subscribe to ``states``.
///
/// Nothing is sent before the first call. Pages are decoded on ``NetworkClient/Configuration/processing``; the properties
/// change on the main actor, asynchronously. When the pager is deallocated, its requests are cancelled.
@MainActor @Observable public final class Pager<Item: Sendable> {
  /// The state of a pager as a value.
  public struct State: Sendable {
    /// The items of all pages so far; see ``Pager/items``.
    public let items: [Item]
    /// Whether the first page is being read; see ``Pager/isRefreshing``.
    public let isRefreshing: Bool
    /// Whether the next page is being read; see ``Pager/isLoadingMore``.
    public let isLoadingMore: Bool
    /// Whether there may be more pages; see ``Pager/hasMore``.
    public let hasMore: Bool
    /// The failure; see ``Pager/error``.
    public let error: NetworkError?
  }

  /// The items of a page, and the page after it; `nil` after the last one.
  private final class Portion: Sendable {
    let items: [Item]
    let next: Signal<Portion, NetworkError>?

    init(items: [Item], next: Signal<Portion, NetworkError>?) {
      self.items = items
      self.next = next
    }
  }

  /// The items of all pages so far, in order.
  public private(set) var items: [Item] = []
  /// Whether the first page is being read by ``refresh()``.
  public private(set) var isRefreshing = false
  /// Whether the next page is being read by ``loadMore()``.
  public private(set) var isLoadingMore = false
  /// Whether there may be more pages; `true` before the first one.
  public private(set) var hasMore = true
  /// The failure of the latest refresh or page; `nil` from the next attempt on.
  public private(set) var error: NetworkError?

  /// Returns the first page, read by the account and environment of now.
  @ObservationIgnored private let first: @MainActor () -> Signal<Portion, NetworkError>
  /// The page after the items, read on subscription: it is the same page each time.
  @ObservationIgnored private var next: Signal<Portion, NetworkError>?
  /// The request in flight, which ends with the pager.
  @ObservationIgnored private var work = DisposeBag()

  /// Creates a pager of the elements in the pages' bodies.
  ///
  /// - Parameter pages: The pages.
  public convenience init<Body: Collection>(_ pages: Pages<Body>) where Body.Element == Item {
    self.init(pages) { Array($0.value) }
  }

  /// Creates a pager of items that are taken from each page.
  ///
  /// - Parameters:
  ///   - pages: The pages.
  ///   - items: Returns the items of a page, on ``NetworkClient/Configuration/processing``.
  public init<Body>(_ pages: Pages<Body>, items: @escaping @Sendable (Response<Body>) -> [Item]) {
    first = { Pager.portion(PageReader(pages), items) }
  }

  /// Reads the first page again and replaces the items by its own; later pages are read by ``loadMore()``.
  ///
  /// The old items stay until then, and after a failure or a 304. Other requests of the pager are cancelled.
  public func refresh() {
    stop()
    isRefreshing = true
    read(first()) { pager, portion in pager.items = portion.items }
  }

  /// Reads the next page and appends its items; ignored while a page is being read and after the last one.
  ///
  /// After a failure it reads the same page again. Before any page it reads the first one. A page without items is
  /// followed by the next one.
  public func loadMore() {
    guard hasMore, !isRefreshing, !isLoadingMore else { return }
    stop()
    isLoadingMore = true
    read(next ?? first()) { pager, portion in pager.items += portion.items }
  }

  /// The state and all its changes, delivered on the main actor.
  ///
  /// Several changes at once are delivered as one. The signal does not retain the pager, and ends without an event when the
  /// pager is deallocated.
  public var states: Signal<State, Never> {
    Signal<State?, Never>.observing { [weak self] in self?.state }.compactMap { $0 }
  }

  private var state: State {
    State(items: items, isRefreshing: isRefreshing, isLoadingMore: isLoadingMore, hasMore: hasMore, error: error)
  }

  /// Cancels the request in flight.
  private func stop() {
    work = DisposeBag()
    (isRefreshing, isLoadingMore, error) = (false, false, nil)
  }

  /// Returns the next page of a reader, which is copied: a page that was cancelled has not been read.
  private nonisolated static func portion<Body>(
    _ reader: PageReader<Body>, _ items: @escaping @Sendable (Response<Body>) -> [Item]
  ) -> Signal<Portion, NetworkError> {
    .deferred {
      let reader = reader.copy()
      return reader.page().map { page in
        Portion(items: items(page), next: reader.hasNext ? portion(reader, items) : nil)
      }
    }
  }

  private func read(
    _ page: Signal<Portion, NetworkError>, _ show: @escaping @MainActor @Sendable (Pager, Portion) -> Void
  ) {
    page.subscribeOnMain(
      onValue: { [weak self] portion in
        guard let self else { return }
        show(self, portion)
        (next, hasMore) = (portion.next, portion.next != nil)
        (isRefreshing, isLoadingMore) = (false, false)
        if portion.items.isEmpty { loadMore() }
      },
      onFailure: { [weak self] in self?.fail($0) },
      onCompletion: { [weak self] in self?.complete() }
    ).disposed(by: work)
  }

  private func fail(_ error: NetworkError) {
    (isRefreshing, isLoadingMore) = (false, false)
    self.error = error
  }

  /// Handles a completion, which has an effect only without a page: after a 304.
  private func complete() {
    if isLoadingMore || (isRefreshing && next == nil) { hasMore = false }
    (isRefreshing, isLoadingMore) = (false, false)
  }
}

extension Pager where Item: Identifiable {
  /// Reads the next page if an item is the last one; for each cell of a list that appears.
  ///
  /// - Parameter item: The item of the cell.
  public func loadMore(after item: Item) {
    if items.last?.id == item.id { loadMore() }
  }
}

extension Pager where Item: Equatable {
  /// Reads the next page if an item is the last one; for each cell of a list that appears.
  ///
  /// - Parameter item: The item of the cell.
  @_disfavoredOverload
  public func loadMore(after item: Item) {
    if items.last == item { loadMore() }
  }
}
