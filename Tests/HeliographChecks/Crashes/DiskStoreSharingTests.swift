import Foundation
import Heliograph
import HeliographTestSupport
import Signals
import StoreFixtures
import TestSupport
import Testing

/// Several threads and processes that use one folder.
struct DiskStoreSharingTests {
  private let folder = StoreFolder()
  private let entries = StoredEntries(count: 100)

  /// The seconds that they use it; more of them by the environment.
  private static let seconds = Scale.isFull ? 30 : Scale.isMedium ? 5 : 2

  @Test func whatIsFoundBelongsToItsName() async throws {
    let capacity = 600_000
    let children = try (0..<2).map { _ in
      try Child.probe(["store", folder.url.path, "\(capacity)", "\(entries.count)", "4", "\(Self.seconds)"])
    }
    let store = try folder.store(capacity: capacity)
    let problems = Guarded<[String]>([])
    let count = Guarded(0)
    let end = ContinuousClock.now + .seconds(Self.seconds)
    await together(8) { [entries] _ in
      var acts = 0
      while ContinuousClock.now < end {
        if let problem = entries.act(on: store) { problems.withLock { $0.append(problem) } }
        acts += 1
      }
      count.withLock { $0 += acts }
    }
    expectEqual(problems.withLock { $0 }, [])
    for child in children { expectEqual(await child.wait(), 0) }
    let last = try folder.store(capacity: capacity)
    for number in 0..<entries.count { expectNil(entries.problem(number, in: last)) }
    last.waitForReclaim()
    expect(folder.byteCount <= capacity)
    expect(folder.temporaries.isEmpty)
    print("\(count.withLock { $0 }) operations in this process")
  }
}
