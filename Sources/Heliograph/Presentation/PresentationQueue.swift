/// The presentations in order of arrival; all are shown, except for the dialogs after the first, which are queued.
///
/// A plain value, guarded by its user's lock. Removed entries are returned, so that they are released outside the
/// lock.
struct PresentationQueue {
  struct Owner: Sendable {
    let link: WeakOwner
    /// The identifier of the owner while it exists; later another object may have it.
    let identity: ObjectIdentifier

    init(_ owner: AnyObject) {
      link = WeakOwner(owner)
      identity = ObjectIdentifier(owner)
    }
  }

  struct Entry: Sendable {
    var presentation: ErrorPresentation
    /// The owners; `nil` if this error, or an equal one, has no owner, so that no deallocation withdraws it.
    var owners: [Owner]?
    /// The subscriptions to its owners' deallocation, and its timer.
    let watches = DisposeBag()
  }

  struct Addition: Sendable {
    let id: ErrorPresentation.ID
    let watches: DisposeBag
    /// Whether the error has its own presentation and was not only counted.
    let isNew: Bool
    /// Whether its owner must be monitored from now on.
    let isOwnerNew: Bool
  }

  /// The maximum number of dialogs in the queue behind the one that is shown.
  let waitingLimit: Int
  private var entries: [Entry] = []

  init(waitingLimit: Int) { self.waitingLimit = waitingLimit }

  /// Adds an error, or counts it if there is an equal one; returns `nil` if the queue of dialogs is full.
  ///
  /// Complexity: O(entries + owners of the equal one).
  mutating func add(_ error: NetworkError, _ key: ErrorPresentation.Key, for owner: Owner?) -> Addition? {
    guard let index = entries.firstIndex(where: { $0.presentation.key == key }) else {
      let isFull = key.style == .dialog && entries.count { $0.presentation.style == .dialog } > waitingLimit
      if isFull { return nil }
      let presentation = ErrorPresentation(key, error)
      let entry = Entry(presentation: presentation, owners: owner.map { [$0] })
      entries.append(entry)
      return Addition(id: presentation.id, watches: entry.watches, isNew: true, isOwnerNew: owner != nil)
    }
    entries[index].presentation.suppressedCount += 1
    let isOwnerNew = entries[index].join(owner)
    return Addition(
      id: entries[index].presentation.id, watches: entries[index].watches, isNew: false, isOwnerNew: isOwnerNew)
  }

  mutating func remove(where isMatch: (Entry) -> Bool) -> [Entry] {
    let removed = entries.filter(isMatch)
    if !removed.isEmpty { entries.removeAll(where: isMatch) }
    return removed
  }

  /// Removes an owner from one or all presentations, and presentations that have no owner left.
  mutating func removeOwners(where isMatch: (Owner) -> Bool, _ id: ErrorPresentation.ID? = nil) -> [Entry] {
    for index in entries.indices where id == nil || entries[index].presentation.id == id {
      // Releases only weak references, which is allowed under the lock.
      entries[index].owners?.removeAll(where: isMatch)
    }
    return remove { $0.owners?.isEmpty == true }
  }

  var owners: [(id: ErrorPresentation.ID, owner: Owner)] {
    entries.flatMap { entry in (entry.owners ?? []).map { (entry.presentation.id, $0) } }
  }

  var shown: [ErrorPresentation] {
    var hasDialog = false
    return entries.compactMap { entry in
      guard entry.presentation.style == .dialog else { return entry.presentation }
      defer { hasDialog = true }
      return hasDialog ? nil : entry.presentation
    }
  }
}

extension PresentationQueue.Entry {
  /// Adds an owner; returns `true` if there is one, and it is new.
  fileprivate mutating func join(_ owner: PresentationQueue.Owner?) -> Bool {
    // A presentation that was ever without an owner remains until it is dismissed.
    guard let owner, let others = owners else {
      owners = nil
      return false
    }
    if others.contains(where: { $0.identity == owner.identity }) { return false }
    owners = others + [owner]
    return true
  }
}
