import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct DiskStoreModelTests {
  private let folder = StoreFolder()

  /// Without evictions a store behaves as a dictionary, also when it is created anew at any time.
  @Test(arguments: [1, 2, 3] as [UInt64]) func behavesAsADictionary(_ seed: UInt64) throws {
    var generator = SystemRandomNumberGenerator()
    func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    var store = try folder.store(capacity: 1_000_000_000)
    var model: [EntryName: (head: Data, body: Data)] = [:]
    for step in 0..<600 {
      let name = EntryName.number(random(25), account: UInt32(random(2)))
      switch random(20) {
      case 0..<6:
        let count = [0, 10, 1_000, 65_536, 100_000][random(5)] + random(100)
        let (head, body) = (Data.pattern(random(300), seed: UInt64(step)), Data.pattern(count, seed: UInt64(step)))
        expect(store.put(name, head: head, body: body))
        model[name] = (head, body)
      case 6:
        let writer = store.writer(for: name, head: Data())
        expectEqual(writer?.append(.pattern(100)), true)
      case 7, 8:
        let head = Data.pattern(random(300))
        expectEqual(store.replaceHead(of: name, with: head), (model[name] != nil))
        model[name]?.head = head
      case 9:
        store.remove(name)
        model[name] = nil
      case 10 where random(10) == 0:
        store.removeAll { $0.account == 1 }
        model = model.filter { $0.key.account != 1 }
      case 11 where random(5) == 0: store = try folder.store(capacity: 1_000_000_000)
      case 12 where model[name] != nil:
        try Data.pattern(random(1_000)).write(to: folder.file(name))
        expectEqual(store.outcome(name), "corrupt")
        model[name] = nil
      case 13: store.waitForReclaim()
      default:
        guard case .found(let entry) = store.open(name) else {
          expectNil(model[name])
          continue
        }
        expectEqual(entry.head, model[name]?.head)
        expectEqual(entry.readBody(), model[name]?.body)
      }
    }
    store.waitForReclaim()
    expectEqual(Set(folder.files.compactMap { EntryName($0.suffix(64)) }), Set(model.keys))
    expectEqual(folder.files.count, model.count)
    expect(folder.temporaries.isEmpty)
  }
}
