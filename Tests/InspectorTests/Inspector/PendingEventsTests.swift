import Foundation
import Heliograph
import TestSupport
import Testing

@testable import HeliographInspector

/// The ring of events that no page has asked for.
struct PendingEventsTests {
  private func element(_ name: String, _ byteCount: Int = 0) -> PendingEvents.Element {
    PendingEvents.Element(event: .notice(name), time: .now, byteCount: byteCount)
  }

  private func names(_ elements: [PendingEvents.Element]) -> [String] {
    elements.compactMap { if case .notice(let name) = $0.event { name } else { nil } }
  }

  @Test func theOldestMakeRoom() {
    var events = PendingEvents(limit: 3, byteLimit: 100)
    expect(events.isEmpty)
    for name in ["a", "b", "c"] { expect(events.append(element(name)).isEmpty) }
    expectEqual(names(events.append(element("d")).compactMap { $0 }), ["a"])
    _ = events.append(element("e"))
    expectEqual(names(events.takeAll()), ["c", "d", "e"])
    expect(events.isEmpty && events.takeAll().isEmpty)
    _ = events.append(element("f"))
    expectEqual(names(events.takeAll()), ["f"])
  }

  @Test func bodiesHaveALimitTogether() {
    var events = PendingEvents(limit: 100, byteLimit: 10)
    for name in ["a", "b", "c"] { _ = events.append(element(name, 4)) }
    expectEqual(names(events.takeAll()), ["b", "c"])
    _ = events.append(element("d", 4))
    // One that is larger than the limit is alone.
    expectEqual(events.append(element("e", 50)).count, 1)
    expectEqual(names(events.append(element("f")).compactMap { $0 }), ["e"])
    expectEqual(names(events.takeAll()), ["f"])
  }

  @Test func afterTheRingHasTurnedOrderIsKept() {
    var events = PendingEvents(limit: 4, byteLimit: 6)
    for number in 0..<50 { _ = events.append(element("\(number)", number % 3)) }
    let kept = names(events.takeAll())
    expectEqual(kept, kept.sorted { (Int($0) ?? 0) < (Int($1) ?? 0) })
    expectEqual(kept.last, "49")
  }
}
