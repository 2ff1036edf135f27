import Foundation
import Heliograph

/// Uses a disk store as a user who is denied some of its files and folders.
///
/// Arguments: a folder that exists.
struct Denying {
  private let folder: URL
  private let name = EntryName(account: 1, environment: 1, service: 1, api: 1, keyHigh: 1, keyLow: 0xAB)

  init(_ arguments: [String]) throws {
    folder = URL(fileURLWithPath: try arguments.text(0))
  }

  func run() throws {
    // Nothing is denied to the superuser.
    if geteuid() == 0 {
      guard chown(folder.path, 65_534, 65_534) == 0, setuid(65_534) == 0 else { throw Failure("still the superuser") }
    }
    let store = try DiskStore(folder: folder, capacity: 1_000_000, reserve: 0) { _, _ in }
    let shard = folder.path + "/ab"
    let file = shard + "/" + name.text
    guard put(in: store), outcome(store) == "found" else { throw Failure("cannot be written") }
    chmod(file, 0)
    try expect(outcome(store) == "corrupt" && outcome(store) == "absent", "an unreadable file")
    try expect(put(in: store), "in place of an unreadable file")
    for remove in [{ store.remove(name) }, { store.removeAll { _ in true } }] {
      chmod(shard, 0o500)
      try expect(outcome(store) == "found" && !put(in: store), "a subfolder that cannot be written")
      remove()
      try expect(outcome(store) == "absent", "what cannot be removed")
      chmod(shard, 0)
      try expect(outcome(store) == "absent" && !put(in: store), "a subfolder that cannot be read")
      store.waitForReclaim()
      chmod(shard, 0o700)
      try expect(outcome(store) == "absent", "what could not be removed")
      store.waitForReclaim()
      try expect(put(in: store) && outcome(store) == "found", "a subfolder as before")
    }
    chmod(folder.path + "/temporary", 0o500)
    try expect(outcome(store) == "found" && store.writer(for: name, head: Data()) == nil, "no temporary files")
    let inaccessible = try? DiskStore(folder: URL(fileURLWithPath: "/"), capacity: 1, reserve: 0) { _, _ in }
    try expect(inaccessible == nil, "a folder that cannot be written")
    chmod(folder.path, 0)
    try expect(outcome(store) == "absent" && !put(in: store), "an unreadable folder")
    let again = try? DiskStore(folder: folder.appendingPathComponent("a/b"), capacity: 1, reserve: 0) { _, _ in }
    try expect(again == nil, "a folder that cannot be created")
    chmod(folder.path, 0o700)
    store.waitForReclaim()
    try expect(outcome(store) == "found", "a folder as before")
  }

  private func put(in store: DiskStore) -> Bool { store.writer(for: name, head: Data())?.commit() == true }

  private func outcome(_ store: DiskStore) -> String {
    switch store.open(name) {
    case .absent: "absent"
    case .corrupt: "corrupt"
    case .found: "found"
    }
  }

  private func expect(_ holds: Bool, _ message: String) throws {
    if !holds { throw Failure(message) }
  }
}
