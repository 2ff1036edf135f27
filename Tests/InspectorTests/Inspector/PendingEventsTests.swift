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
    for name in ["a", "b", "c"] { expect(events.append(element(name)) == nil) }
    expectEqual(names([events.append(element("d"))].compactMap { $0 }), ["a"])
    _ = events.append(element("e"))
    expectEqual(names(events.takeAll()), ["c", "d", "e"])
    expect(events.takeAll().isEmpty)
    _ = events.append(element("f"))
    expectEqual(names(events.takeAll()), ["f"])
  }

  @Test func bodiesHaveALimitTogether() {
    var events = PendingEvents(limit: 3, byteLimit: 10)
    for name in ["a", "b"] { expect(events.append(element(name, 4)) == nil) }
    expect(!events.hasExcessBodies)
    // No event is removed because of its body.
    expect(events.append(element("c", 4)) == nil)
    expect(events.hasExcessBodies)
    expectEqual(names(events.takeAll()), ["a", "b", "c"])
    expect(!events.hasExcessBodies)
    for (name, byteCount) in [("d", 11), ("e", 0), ("f", 0)] { _ = events.append(element(name, byteCount)) }
    expect(events.hasExcessBodies)
    expectEqual(names([events.append(element("g"))].compactMap { $0 }), ["d"])
    expect(!events.hasExcessBodies)
  }

  @Test func afterTheRingHasTurnedOrderIsKept() {
    var events = PendingEvents(limit: 4, byteLimit: 6)
    for number in 0..<50 { _ = events.append(element("\(number)", number % 3)) }
    let kept = names(events.takeAll())
    expectEqual(kept, kept.sorted { (Int($0) ?? 0) < (Int($1) ?? 0) })
    expectEqual(kept.last, "49")
  }
}
