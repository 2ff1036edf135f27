import TestSupport

#if canImport(Glibc) || canImport(Musl)
/// Netlink messages for tests, put together as rtnetlink(7) says.
package enum NetlinkBytes {
  package static func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

  package static func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: -bytes.count & 3) }

  package static func message(_ type: UInt16, sequence: UInt32 = 7, _ body: [UInt8] = []) -> [UInt8] {
    padded(
      bytes(UInt32(16 + body.count)) + bytes(type) + bytes(UInt16(2)) + bytes(sequence) + bytes(UInt32(0)) + body)
  }

  package static let done = message(3, bytes(Int32(0)))

  /// Flags: 1 up, 8 loopback, 0x40 running.
  package static func link(_ index: Int32, flags: UInt32) -> [UInt8] {
    message(16, [0, 0, 1, 0] + bytes(index) + bytes(flags) + bytes(UInt32(0)) + attribute(3, Array("eth0\0".utf8)))
  }

  package static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    padded(bytes(UInt16(4 + value.count)) + bytes(type) + value)
  }

  package static func route(
    family: UInt8 = 2, bitCount: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1, _ attributes: [[UInt8]]
  ) -> [UInt8] {
    message(24, [family, bitCount, 0, 0, table, 3, 0, type] + bytes(UInt32(0)) + attributes.flatMap { $0 })
  }

  package static func through(_ link: Int32) -> [UInt8] { attribute(4, bytes(link)) }

  package static func through(hops links: [Int32]) -> [UInt8] {
    attribute(9, links.flatMap { bytes(UInt16(16)) + [0, 0] + bytes($0) + attribute(5, [192, 0, 2, 1]) })
  }
}
#endif
