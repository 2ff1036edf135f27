import Foundation

@testable import Heliograph

/// A folder of a disk store for one test, which is removed at the end of the test.
package final class StoreFolder: Sendable {
  package let url: URL

  package init() {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("heliograph-store-\(UUID().uuidString)")
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Creates a store in the folder.
  package func store(
    capacity: Int = 10_000_000, reserve: Int = 0, available: (@Sendable () -> Int64?)? = nil,
    evicted: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws -> DiskStore {
    try DiskStore(
      folder: url, capacity: capacity, reserve: reserve, availableByteCount: available, evicted: evicted)
  }

  /// The place of an entry's file, as the format defines it.
  package func file(_ name: EntryName) -> URL {
    url.appendingPathComponent(String(name.text.suffix(2))).appendingPathComponent(name.text)
  }

  /// The paths of the entries' files.
  package var files: [String] { contents.filter { EntryName($0.suffix(EntryName.digitCount)) != nil } }

  /// The paths of the temporary files.
  package var temporaries: [String] { contents.filter { $0.contains("/temporary/") } }

  /// The number of bytes that the entries' files occupy.
  package var byteCount: Int {
    files.reduce(0) { $0 + DiskStore.occupiedByteCount(FileStatus(path: $1)?.byteCount ?? 0) }
  }

  /// The time of an entry's last use.
  package func usedAt(_ name: EntryName) throws -> Date? {
    try FileManager.default.attributesOfItem(atPath: file(name).path)[.modificationDate] as? Date
  }

  /// Sets the time of an entry's last use.
  package func setUsed(_ name: EntryName, secondsAgo: Double) throws {
    let date = Date(timeIntervalSinceNow: -secondsAgo)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file(name).path)
  }

  private var contents: [String] {
    func names(_ path: String) -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).map { path + "/" + $0 }
    }
    return names(url.path).flatMap(names)
  }
}

extension EntryName {
  /// A name for a number; every number has another one.
  package static func number(_ number: Int, account: UInt32 = 1, service: UInt32 = 1) -> EntryName {
    let word = UInt64(number)
    return EntryName(
      account: account, environment: 1, service: service, api: UInt32(truncatingIfNeeded: number),
      keyHigh: (word &+ 1) &* 0x9E37_79B9_7F4A_7C15, keyLow: (word &+ 1) &* 0xD1B5_4A32_D192_ED03)
  }
}

extension Data {
  /// Bytes that look random, and are others for each seed.
  package static func pattern(_ count: Int, seed: UInt64 = 1) -> Data {
    var word = seed
    var data = Data(capacity: count + 8)
    while data.count < count {
      word = (word ^ (word >> 31)) &* 0xBF58_476D_1CE4_E5B9 &+ 0x9E37_79B9_7F4A_7C15
      Swift.withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
    }
    return data.prefix(count)
  }
}

extension DiskStore {
  /// Writes an entry; returns whether it is stored.
  @discardableResult
  package func put(_ name: EntryName, head: Data = Data("head".utf8), body: Data) -> Bool {
    guard let writer = writer(for: name, head: head) else { return false }
    return writer.append(body) && writer.commit()
  }

  /// The body of an entry, or `nil` if it is not found.
  package func body(_ name: EntryName) -> Data? {
    if case .found(let entry) = open(name) { entry.readBody() } else { nil }
  }

  /// Whether an entry is found, without using it.
  package func has(_ name: EntryName) -> Bool { FileManager.default.fileExists(atPath: folder.path(of: name)) }

  /// What a look-up finds, in a word.
  package func outcome(_ name: EntryName) -> String {
    switch open(name) {
    case .absent: "absent"
    case .corrupt: "corrupt"
    case .found(let entry): entry.verify() ? "found" : "corrupt"
    }
  }
}
