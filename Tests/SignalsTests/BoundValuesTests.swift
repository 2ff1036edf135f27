import HeliographTesting
import SignalsTestSupport
import TestSupport
import Testing

@testable import Signals

/// Promise 26 in loops: values and ends that were buffered before the deinit of an owner.
struct BoundValuesTests {
  private final class Screen: Sendable {}

  enum Ending: CaseIterable {
    case completion, failure, none
  }

  private let source = Source<Int>()
  private let pausing = PausingSource(100)

  private func makeOwner(isLifetime: Bool) -> any AnyObject & Sendable { isLifetime ? Lifetime() : Screen() }

  private func signal(_ ending: Ending, _ owner: any AnyObject & Sendable) -> Numbers {
    let three = Numbers.from([1, 2, 3])
    return switch ending {
    case .completion: three.bound(to: owner)
    case .failure: three.concat(.fail(.broken)).bound(to: owner).map { $0 }
    case .none: three.concat(source.signal).bound(to: owner)
    }
  }

  @Test(arguments: [false, true], Ending.allCases)
  func promise26_aLoopGetsNoValueThatWasBufferedBeforeTheDeinit(isLifetime: Bool, ending: Ending) async throws {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let iterator = try require(owner.map { signal(ending, $0) }).values.makeAsyncIterator()
    try await expectEqual(iterator.next(), 1)
    owner = nil
    try await expectNil(iterator.next())
    try await expectNil(iterator.next())
  }

  @Test(arguments: [false, true])
  func promise26_aLoopGetsNoFailureThatWasBufferedBeforeTheDeinit(isLifetime: Bool) async throws {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let iterator = try require(owner.map { signal(.failure, $0) }).values.makeAsyncIterator()
    for number in 1...3 { try await expectEqual(iterator.next(), number) }
    owner = nil
    try await expectNil(iterator.next())
  }

  @Test(arguments: [false, true])
  func aLoopWhoseOwnerExistsGetsAllEventsAndThenLeavesTheOwner(isLifetime: Bool) async throws {
    let owner = makeOwner(isLifetime: isLifetime)
    let iterator = signal(.failure, owner).values.makeAsyncIterator()
    for number in 1...3 { try await expectEqual(iterator.next(), number) }
    expectEqual(watchCount(of: owner), 1)
    await #expect(throws: Fault.broken) { try await iterator.next() }
    expectEqual(watchCount(of: owner), 0)
    try await expectNil(iterator.next())
  }

  @Test func aBufferThatTheDeinitHasDroppedHoldsNoSourceUp() async throws {
    var owner: Lifetime? = Lifetime()
    // The observer of the second source gives access to the pressure.
    let signal = try require(owner.map { pausing.signal.merge(source.signal).bound(to: $0) })
    let iterator = signal.values.makeAsyncIterator()
    try await expectEqual(iterator.next(), 0)
    let pressure = try require(source.observers.first?.pressure)
    source.send(1)
    expect(pressure.isHigh)
    owner = nil
    expect(!pressure.isHigh)
    try await expectNil(iterator.next())
    expectEqual(pausing.resumptionCount, 1)
    expectEqual(pausing.sentCount, Pressure.highCount)
    expectEqual(pausing.teardownCount, 1)
  }
}
