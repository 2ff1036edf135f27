import Synchronization

final class OwnershipTable: Sendable {
  static let shared = OwnershipTable()
  static let outlivedLimit = 100

  private struct State {
    var active: [Int: OwnershipRecord] = [:]
    var outlived: [OwnershipLog.Entry] = []
    var nextNumber = 0
  }

  let isEnabled = Atomic<Bool>(false)
  private let state = Guarded(State())

  /// Records the start of a bound subscription, if the log is enabled and the owner exists.
  func begin(_ owner: BoundOwner, signalName: () -> String?) -> OwnershipRecord? {
    guard isEnabled.load(ordering: .relaxed), let typeName = owner.typeName else { return nil }
    let name = signalName()
    return state.withLock { state in
      state.nextNumber += 1
      let record = OwnershipRecord(self, state.nextNumber, owner, typeName, name)
      state.active[record.number] = record
      return record
    }
  }

  /// Removes a record of an active subscription and returns whether there was one.
  func end(_ record: OwnershipRecord) -> Bool {
    // The caller retains the record, so nothing is released under the lock.
    state.withLock { $0.active.removeValue(forKey: record.number) != nil }
  }

  func contains(_ record: OwnershipRecord) -> Bool { state.withLock { $0.active[record.number] != nil } }

  func outlive(_ record: OwnershipRecord) {
    guard end(record) else { return }
    let entry = record.entry
    state.withLock { state in
      if state.outlived.count == OwnershipTable.outlivedLimit { state.outlived.removeFirst() }
      state.outlived.append(entry)
    }
  }

  /// The entries of active subscriptions; owners are checked outside the lock, because this may drop their last
  /// reference.
  var active: [OwnershipLog.Entry] {
    state.withLock { Array($0.active.values) }.sorted { $0.number < $1.number }.map(\.entry)
  }

  var outlived: [OwnershipLog.Entry] { state.withLock { $0.outlived } }

  func removeAll() {
    state.discardWithLock { state in
      let dropped = state.active
      (state.active, state.outlived) = ([:], [])
      return dropped
    }
  }
}

/// The record of one bound subscription.
final class OwnershipRecord: Sendable {
  let number: Int
  private let table: OwnershipTable
  private let owner: BoundOwner
  private let ownerType: String
  private let signalName: String?
  private let startedAt = DispatchScheduler.uptime

  init(_ table: OwnershipTable, _ number: Int, _ owner: BoundOwner, _ ownerType: String, _ signalName: String?) {
    (self.table, self.number, self.owner) = (table, number, owner)
    (self.ownerType, self.signalName) = (ownerType, signalName)
  }

  var entry: OwnershipLog.Entry {
    OwnershipLog.Entry(
      ownerType: ownerType, signalName: signalName, age: DispatchScheduler.uptime - startedAt,
      isOwnerDeallocated: owner.isDeallocated)
  }

  var isActive: Bool { table.contains(self) }

  /// Removes the record: the subscription has ended before its owner.
  func end() { _ = table.end(self) }

  /// Moves the record to those that outlived their owner, unless the subscription has already ended.
  func outlive() { table.outlive(self) }
}
