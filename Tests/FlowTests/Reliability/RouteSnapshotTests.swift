#if canImport(Glibc) || canImport(Musl)
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct RouteSnapshotTests {
  private typealias Bytes = NetlinkBytes

  private static let running: UInt32 = 0x41
  private static let links =
    Bytes.link(1, flags: 0x49) + Bytes.link(2, flags: running) + Bytes.link(3, flags: 0x1) + Bytes.link(4, flags: 0)

  private func isReachable(_ routes: [UInt8]) -> Bool? {
    var snapshot = RouteSnapshot()
    guard case .done = snapshot.read((Self.links + Bytes.done)[...], sequence: 7) else { return nil }
    guard case .done = snapshot.read((routes + Bytes.done)[...], sequence: 7) else { return nil }
    return snapshot.isReachable
  }

  @Test(arguments: [(Int32(1), false), (2, true), (3, false), (4, false), (9, false)])
  func onlyALinkThatRunsAndIsNotTheLoopbackLeadsOut(link: Int32, isReachable expected: Bool) {
    expectEqual(isReachable(Bytes.route([Bytes.through(link)])), expected)
    expectEqual(isReachable(Bytes.route([Bytes.through(hops: [link])])), expected)
  }

  @Test func withoutARouteThereIsNoWay() {
    expectEqual(isReachable([]), false)
  }

  @Test func oneWayOfSeveralIsEnough() {
    expectEqual(isReachable(Bytes.route([Bytes.through(hops: [3, 4, 2])])), true)
    expectEqual(isReachable(Bytes.route([Bytes.through(3)]) + Bytes.route(family: 10, [Bytes.through(2)])), true)
  }

  @Test(arguments: [UInt8(2), 3, 4, 5, 6, 7, 8]) func onlyUnicastCounts(type: UInt8) {
    expectEqual(isReachable(Bytes.route(type: type, [Bytes.through(2)])), false)
  }

  @Test func everyTableCountsButThatOfOwnAddresses() {
    expectEqual(isReachable(Bytes.route(table: 255, [Bytes.through(2)])), false)
    let large = Bytes.attribute(15, Bytes.bytes(UInt32(51820)))
    expectEqual(isReachable(Bytes.route(table: 252, [large, Bytes.through(2)])), true)
    let own = Bytes.attribute(15, Bytes.bytes(UInt32(255)))
    expectEqual(isReachable(Bytes.route([own, Bytes.through(2)])), false)
    let main = Bytes.attribute(15, Bytes.bytes(UInt32(254)))
    expectEqual(isReachable(Bytes.route([main, Bytes.through(2)])), true)
  }

  @Test func otherFamiliesDoNotCount() {
    for family: UInt8 in [0, 7, 28, 128] {
      expectEqual(isReachable(Bytes.route(family: family, [Bytes.through(2)])), false)
    }
  }

  @Test func linkLocalAddressesDoNotCount() {
    func route(_ first: [UInt8], bitCount: UInt8) -> [UInt8] {
      let destination = first + [UInt8](repeating: 0, count: 14)
      return Bytes.route(family: 10, bitCount: bitCount, [Bytes.attribute(1, destination), Bytes.through(2)])
    }
    expectEqual(isReachable(route([0xFE, 0x80], bitCount: 64)), false)
    expectEqual(isReachable(route([0xFE, 0xBF], bitCount: 128)), false)
    expectEqual(isReachable(route([0xFE, 0xC0], bitCount: 64)), true)
    expectEqual(isReachable(route([0xFD, 0x80], bitCount: 64)), true)
  }

  @Test func aRouteWhoseLinkIsElsewhereNeedsAnyThatRuns() {
    let object = Bytes.attribute(30, Bytes.bytes(UInt32(5)))
    expectEqual(isReachable(Bytes.route([object])), true)
    var snapshot = RouteSnapshot()
    expectEqual(snapshot.read((Bytes.link(1, flags: 0x49) + Bytes.route([object]))[...], sequence: 7), .more)
    expect(!snapshot.isReachable)
  }

  @Test func answersToOtherRequestsArePassedOver() {
    var snapshot = RouteSnapshot()
    let stale = Bytes.message(3, sequence: 6) + Bytes.message(2, sequence: 8, Bytes.bytes(Int32(-1)))
    expectEqual(snapshot.read(stale[...], sequence: 7), .more)
  }

  @Test func aRefusalIsNoAnswer() {
    for message in [
      Bytes.message(2, Bytes.bytes(Int32(-13))), Bytes.message(3, Bytes.bytes(Int32(-90))), Bytes.message(4),
    ] {
      var snapshot = RouteSnapshot()
      expectEqual(snapshot.read(message[...], sequence: 7), .failed)
    }
  }

  @Test func whatIsCutOffIsBrokenOrLessButNeverATrap() {
    let whole = Self.links + Bytes.route([Bytes.through(2), Bytes.through(hops: [2, 3])])
    for count in 0..<whole.count {
      var snapshot = RouteSnapshot()
      let bytes = Array(whole.prefix(count))
      expect(snapshot.read(bytes[...], sequence: 7) != .done)
      expect(!snapshot.isReachable)
    }
    var snapshot = RouteSnapshot()
    expectEqual(snapshot.read(whole[...], sequence: 7), .more)
    expect(snapshot.isReachable)
  }

  @Test func bodiesAndAttributesThatAreTooShortAreBroken() {
    let short = Bytes.attribute(4, [2, 0])
    let beyond = Bytes.bytes(UInt16(400)) + Bytes.bytes(UInt16(4)) + Bytes.bytes(Int32(2))
    let below = Bytes.bytes(UInt16(3)) + Bytes.bytes(UInt16(4)) + Bytes.bytes(Int32(2))
    let nothing = [UInt8](repeating: 0, count: 8)
    let hop = Bytes.attribute(9, Bytes.bytes(UInt16(4)) + [0, 0])
    for attribute in [short, beyond, below, nothing, hop, Bytes.attribute(15, [])] {
      expectNil(isReachable(Bytes.route([attribute])))
    }
    for body in [[], [0], [UInt8](repeating: 0, count: 11)] {
      expectNil(isReachable(Bytes.message(24, body)))
      expectNil(isReachable(Bytes.message(16, body)))
    }
  }

  @Test(arguments: [UInt32(0), 1, 15, 17, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])
  func lengthsThatLieAreBroken(length: UInt32) {
    var snapshot = RouteSnapshot()
    let bytes = Bytes.bytes(length) + [UInt8](repeating: 0, count: 12)
    expectEqual(snapshot.read(bytes[...], sequence: 0), .failed)
  }

  /// The same bytes in each run: one or more of a good answer changed, at a slice that does not begin at zero.
  @Test func whateverTheBytesAreItEnds() {
    let whole = [0, 0, 0] + Self.links + Bytes.route([Bytes.through(2), Bytes.through(hops: [2, 3])]) + Bytes.done
    var seed: UInt64 = 1
    func roll(_ limit: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % limit
    }
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0...roll(4) { bytes[roll(bytes.count)] = UInt8(roll(256)) }
      var snapshot = RouteSnapshot()
      _ = snapshot.read(bytes[3..<(3 + roll(bytes.count - 2))], sequence: 7)
      _ = snapshot.isReachable
    }
  }
}
#endif
