/// What is shown and what waits, in the order in which it came: all toasts and inline ones, and the first dialog, are shown.
///
/// A plain value for whoever guards it. What it takes out it hands back, to be freed where no lock is held.
struct PresentationLine {
  /// Somebody whom a presentation is for.
  struct Owner: Sendable {
    let link: WeakOwner
    /// Tells the owner from others while it is there; afterwards another object may have the same.
    let identity: ObjectIdentifier

    init(_ owner: AnyObject) {
      link = WeakOwner(owner)
      identity = ObjectIdentifier(owner)
    }
  }

  struct Entry: Sendable {
    var presentation: ErrorPresentation
    /// Whom it is for; `nil` if it, or an equal one, is for nobody in particular, so that nobody's end withdraws it.
    var owners: [Owner]?
    /// What watches its owners and counts its time.
    let watches = DisposeBag()
  }

  /// What has become of an error.
  struct Place: Sendable {
    let id: ErrorPresentation.ID
    let watches: DisposeBag
    /// Whether it is shown or waits by itself, and was not just counted.
    let isNew: Bool
    /// Whether its owner must be watched from now on.
    let isOwnerNew: Bool
  }

  /// How many dialogs may wait behind the one that is shown.
  let waitingLimit: Int
  private var entries: [Entry] = []

  init(waitingLimit: Int) { self.waitingLimit = waitingLimit }

  /// Puts an error at its place, which is with an equal one if there is one; `nil` if too many dialogs wait already.
  ///
  /// Complexity: O(entries + owners of the equal one).
  mutating func add(_ error: NetworkError, _ key: ErrorPresentation.Key, for owner: Owner?) -> Place? {
    guard let index = entries.firstIndex(where: { $0.presentation.key == key }) else {
      let isFull = key.style == .dialog && entries.count { $0.presentation.style == .dialog } > waitingLimit
      if isFull { return nil }
      let presentation = ErrorPresentation(.fresh(), key, error)
      let entry = Entry(presentation: presentation, owners: owner.map { [$0] })
      entries.append(entry)
      return Place(id: presentation.id, watches: entry.watches, isNew: true, isOwnerNew: owner != nil)
    }
    entries[index].presentation.suppressedCount += 1
    let isOwnerNew = entries[index].join(owner)
    return Place(
      id: entries[index].presentation.id, watches: entries[index].watches, isNew: false, isOwnerNew: isOwnerNew)
  }

  /// Takes out the presentations that meet a condition.
  mutating func remove(where isMeant: (Entry) -> Bool) -> [Entry] {
    let removed = entries.filter(isMeant)
    if !removed.isEmpty { entries.removeAll(where: isMeant) }
    return removed
  }

  /// Takes an owner off all presentations, or off one; takes those out that were for nobody else.
  mutating func leave(_ isMeant: (Owner) -> Bool, _ id: ErrorPresentation.ID? = nil) -> [Entry] {
    for index in entries.indices where id == nil || entries[index].presentation.id == id {
      // Weak references are all that this frees.
      entries[index].owners?.removeAll(where: isMeant)
    }
    return remove { $0.owners?.isEmpty == true }
  }

  /// All owners, each with the presentation.
  var owners: [(id: ErrorPresentation.ID, owner: Owner)] {
    entries.flatMap { entry in (entry.owners ?? []).map { (entry.presentation.id, $0) } }
  }

  /// What is to be seen.
  var shown: [ErrorPresentation] {
    var hasDialog = false
    return entries.compactMap { entry in
      guard entry.presentation.style == .dialog else { return entry.presentation }
      defer { hasDialog = true }
      return hasDialog ? nil : entry.presentation
    }
  }
}

extension PresentationLine.Entry {
  /// Adds an owner; `true` if there is one, and it is not among them already.
  fileprivate mutating func join(_ owner: PresentationLine.Owner?) -> Bool {
    // `nil` stays, and becomes: for nobody in particular.
    guard let owner, let others = owners else {
      owners = nil
      return false
    }
    if others.contains(where: { $0.identity == owner.identity }) { return false }
    owners = others + [owner]
    return true
  }
}
