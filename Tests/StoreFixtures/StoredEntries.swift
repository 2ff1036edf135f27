import Foundation
package import Heliograph

/// Entries whose content belongs to their number, for tests in which several threads and processes use one folder.
package struct StoredEntries: Sendable {
  /// The number of different entries.
  package let count: Int

  package init(count: Int) { self.count = count }

  /// The name of an entry.
  package func name(_ number: Int) -> EntryName {
    let word = UInt64(number) &+ 1
    return EntryName(
      account: UInt32(number % 4), environment: 1, service: 1, api: UInt32(number),
      keyHigh: word &* 0x9E37_79B9_7F4A_7C15, keyLow: word &* 0xD1B5_4A32_D192_ED03)
  }

  /// Does something at random with an entry at random.
  ///
  /// - Returns: what is wrong with an entry that it has found; `nil` if nothing is.
  package func act(on store: DiskStore) -> String? {
    let number = Int.random(in: 0..<count)
    let name = name(number)
    switch Int.random(in: 0..<1_000) {
    case 0..<500: put(number, in: store)
    case 500..<800: return problem(number, in: store)
    case 800..<900: _ = store.replaceHead(of: name, with: head(number))
    case 900..<995: store.remove(name)
    default:
      let account = UInt32.random(in: 0..<4)
      store.removeAll { $0.account == account && $0.api % 5 == 0 }
    }
    return nil
  }

  /// Writes an entry with content at random, sometimes only a part of it.
  private func put(_ number: Int, in store: DiskStore) {
    let byteCount = Int.random(in: 0..<20) == 0 ? Int.random(in: 0..<300_000) : Int.random(in: 0..<12_000)
    let body = Self.body(number, version: .random(in: 0..<1_000_000), byteCount: byteCount)
    guard let writer = store.writer(for: name(number), head: head(number)) else { return }
    for start in stride(from: 0, to: body.count, by: 50_000) {
      guard writer.append(body[start..<min(start + 50_000, body.count)]) else { return }
    }
    if Int.random(in: 0..<20) > 0 { _ = writer.commit() }
  }

  /// Returns what is wrong with an entry, if it is there.
  package func problem(_ number: Int, in store: DiskStore) -> String? {
    switch store.open(name(number)) {
    case .absent: return nil
    case .corrupt: return "entry \(number) is corrupt"
    case .found(let entry):
      guard entry.head.starts(with: Data("\(number) ".utf8)) else { return "entry \(number) has the head of another" }
      guard entry.verify(), let body = entry.readBody() else { return "the body of entry \(number) is corrupt" }
      let words = body.prefix(24).withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count - 7, by: 8).map { bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self) }
      }
      guard body.count >= 24 else { return body == Data(count: body.count) ? nil : "entry \(number) has other bytes" }
      let isRight = words[0] == Int64(number) && body == Self.body(number, version: words[1], byteCount: body.count)
      return isRight ? nil : "entry \(number) has the body of another: \(words)"
    }
  }

  private func head(_ number: Int) -> Data {
    Data("\(number) \(String(repeating: "h", count: .random(in: 0..<500)))".utf8)
  }

  /// The body of an entry: its number, a version and its length, then bytes that depend on these.
  private static func body(_ number: Int, version: Int64, byteCount: Int) -> Data {
    guard byteCount >= 24 else { return Data(count: byteCount) }
    var block: [UInt64] = []
    var word = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: version)
    for _ in 0..<128 {
      word = (word ^ (word >> 31)) &* 0xBF58_476D_1CE4_E5B9 &+ 1
      block.append(word)
    }
    var data = [Int64(number), version, Int64(byteCount)].withUnsafeBytes { Data($0) }
    while data.count < byteCount { block.withUnsafeBytes { data.append(contentsOf: $0) } }
    return data.prefix(byteCount)
  }
}
