import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct RecencyListTests {
  @Test func behavesAsAnArrayInOrderOfUse() {
    var generator = SystemRandomNumberGenerator()
    var list = RecencyList<Int>()
    var model: [(name: EntryName, value: Int)] = []  // Most recently used first.
    for step in 0..<20_000 {
      // Grows to hundreds, shrinks to none, and again.
      let isGrowing = step % 4_000 < 2_000
      let name = EntryName.number(Int.random(in: 0..<400, using: &generator))
      let place = model.firstIndex { $0.name == name }
      let former = place.map { model[$0].value }
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<(isGrowing ? 5 : 2):
        expectEqual(list.insert(step, for: name), former)
        if let place { model.remove(at: place) }
        model.insert((name, step), at: 0)
      case 5..<8:
        expectEqual(list.use(name), former)
        if let place { model.insert(model.remove(at: place), at: 0) }
      case 8:
        expectEqual(list.remove(name), former)
        if let place { model.remove(at: place) }
      default:
        let oldest = isGrowing ? nil : model.popLast()
        guard !isGrowing else { break }
        let removed = list.removeOldest()
        expectEqual(removed?.name, oldest?.name)
        expectEqual(removed?.value, oldest?.value)
      }
      expectEqual(list.count, model.count)
      if step % 100 == 0 { expectEqual(list.names, model.map(\.name)) }
    }
    while let oldest = model.popLast() { expectEqual(list.removeOldest()?.name, oldest.name) }
    expectNil(list.removeOldest())
    expectEqual(list.count, 0)
    expect(list.names.isEmpty)
  }

  @Test func namesThatDifferInOneHashAreDifferent() {
    var list = RecencyList<Int>()
    let name = EntryName(account: 1, environment: 1, service: 1, api: 1, keyHigh: 1, keyLow: 1)
    var names = Array(repeating: name, count: 7)
    names[1].account = 2
    names[2].environment = 2
    names[3].service = 2
    names[4].api = 2
    names[5].keyHigh = 2
    names[6].keyLow = 2
    for (index, name) in names.enumerated() { list.insert(index, for: name) }
    expectEqual(list.count, 7)
    for (index, name) in names.enumerated() { expectEqual(list.remove(name), index) }
  }
}
