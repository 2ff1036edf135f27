#if canImport(Glibc) || canImport(Musl)
/// The constants of netlink that are used here: netlink(7), rtnetlink(7), netdevice(7).
///
/// They are from the headers `linux/netlink.h`, `linux/rtnetlink.h` and `linux/if.h`, which Swift's modules for the C
/// library lack.
package enum Netlink {
  static let family: Int32 = 16
  static let protocolOfRoutes: Int32 = 0

  /// The groups for changes of links, and of IPv4 and IPv6 addresses and routes: RTMGRP_LINK and so on.
  package static let changeGroups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

  /// The size of a message's header: length, type, flags, sequence number, port.
  static let headerByteCount = 16
  static let error: UInt16 = 2
  static let done: UInt16 = 3
  static let overrun: UInt16 = 4
  static let newLink: UInt16 = 16
  static let newRoute: UInt16 = 24
  /// NLM_F_REQUEST and NLM_F_DUMP.
  static let dumpFlags: UInt16 = 0x1 | 0x300

  /// The tables that can be requested, with the size of the structure after the header: `ifinfomsg`, `rtmsg`.
  enum Dump: UInt16 {
    case links = 18
    case routes = 26

    var bodyByteCount: Int { self == .links ? linkByteCount : routeByteCount }
  }

  static let linkByteCount = 16
  static let routeByteCount = 12

  /// IFF_UP, IFF_LOOPBACK, IFF_RUNNING.
  static let isUp: UInt32 = 0x1
  static let isLoopback: UInt32 = 0x8
  static let isRunning: UInt32 = 0x40

  /// RTN_UNICAST, RT_TABLE_LOCAL, AF_INET, AF_INET6 (as Linux has it).
  static let unicast: UInt8 = 1
  static let localTable: UInt32 = 255
  static let internet: UInt8 = 2
  static let internet6: UInt8 = 10

  /// RTA_DST, RTA_OIF, RTA_MULTIPATH, RTA_TABLE.
  static let destination: UInt16 = 1
  static let outgoingLink: UInt16 = 4
  static let hops: UInt16 = 9
  static let table: UInt16 = 15
  /// The mask of an attribute's type, whose two upper bits are flags: NLA_TYPE_MASK.
  static let attributeMask: UInt16 = 0x3FFF
  static let attributeHeaderByteCount = 4
  /// The size of the header of one hop among several: length, flags, weight, link.
  static let hopHeaderByteCount = 8

  /// Returns a request for a whole table of the kernel, for all address families.
  static func request(_ dump: Dump, sequence: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number) { bytes += $0 } }
    append(UInt32(headerByteCount + dump.bodyByteCount))
    append(dump.rawValue)
    append(dumpFlags)
    append(sequence)
    append(UInt32(0))
    return bytes + [UInt8](repeating: 0, count: dump.bodyByteCount)
  }
}

/// A sequence of length-prefixed netlink records: messages, attributes, hops.
package struct NetlinkRecords<Length: FixedWidthInteger & BitwiseCopyable>: Sequence, IteratorProtocol {
  private var remaining: ArraySlice<UInt8>
  private let headerByteCount: Int
  /// Whether iteration has stopped at an invalid record.
  package private(set) var isBroken = false

  package init(_ bytes: ArraySlice<UInt8>, headerByteCount: Int) {
    remaining = bytes
    self.headerByteCount = headerByteCount
  }

  /// Returns the next record, which includes its header and is never shorter than that.
  package mutating func next() -> ArraySlice<UInt8>? {
    if remaining.isEmpty || isBroken { return nil }
    guard let length = remaining.integer(at: 0, as: Length.self), let byteCount = Int(exactly: length),
      byteCount >= headerByteCount, byteCount <= remaining.count
    else {
      isBroken = true
      return nil
    }
    let record = remaining.prefix(byteCount)
    // Each record begins at a multiple of four.
    remaining = remaining.dropFirst((byteCount + 3) & ~3)
    return record
  }
}

extension ArraySlice<UInt8> {
  /// Returns a number in the machine's own byte order; `nil` if there are too few bytes.
  func integer<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as _: Number.Type) -> Number? {
    guard offset >= 0, count - offset >= MemoryLayout<Number>.size else { return nil }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
  }
}
#endif
