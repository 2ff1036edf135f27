#if canImport(Glibc) || canImport(Musl)
import Foundation
import Synchronization

/// The constants of netlink that are used here: netlink(7), rtnetlink(7), netdevice(7); they are from the headers
/// `linux/netlink.h`, `linux/rtnetlink.h` and `linux/if.h`, which Swift's modules for the C library lack.
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

/// A socket to the kernel's tables of links and routes: rtnetlink(7).
///
/// It belongs to the network namespace of the thread that created it. Only one thread at a time may take a snapshot.
package final class NetlinkSocket: Sendable {
  package let descriptor: Int32
  private let sequence = Atomic<UInt32>(0)

  /// Creates a socket that receives the changes of some groups; `nil` if the system does not allow it.
  package init?(groups: UInt32) {
    #if canImport(Glibc)
    let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    #else
    let kind = SOCK_RAW | SOCK_CLOEXEC
    #endif
    let descriptor = socket(Netlink.family, kind, Netlink.protocolOfRoutes)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    // The kernel responds at once; the timeout only prevents an endless wait.
    var timeout = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    // All properties are set, so `deinit` closes the descriptor if this fails.
    guard listen(to: groups) else { return nil }
  }

  deinit { close(descriptor) }

  private func listen(to groups: UInt32) -> Bool {
    // struct sockaddr_nl: family, two bytes of padding, a port that the kernel chooses, groups.
    var address = sockaddr_storage()
    withUnsafeMutableBytes(of: &address) { bytes in
      bytes.storeBytes(of: UInt16(Netlink.family), as: UInt16.self)
      bytes.storeBytes(of: groups, toByteOffset: 8, as: UInt32.self)
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, 12) == 0 }
    }
  }

  /// Discards the pending events without blocking; their content is not needed.
  ///
  /// The kernel reports lost events as an error (`ENOBUFS`), which is discarded too.
  package func drain() {
    var buffer = [UInt8](repeating: 0, count: 8192)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0, errno != EINTR, errno != ENOBUFS { return }
    }
  }

  /// Requests all links and routes; returns `nil` if the kernel does not supply them.
  ///
  /// A change during the request may be missing; the event that follows it causes another snapshot.
  package func snapshot() -> RouteSnapshot? {
    var snapshot = RouteSnapshot()
    return read(.links, into: &snapshot) && read(.routes, into: &snapshot) ? snapshot : nil
  }

  private func read(_ dump: Netlink.Dump, into snapshot: inout RouteSnapshot) -> Bool {
    let number = sequence.add(1, ordering: .relaxed).newValue
    let request = Netlink.request(dump, sequence: number)
    guard send(descriptor, request, request.count, 0) == request.count else { return false }
    // The kernel sends at most 32 KiB in one datagram.
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      // With MSG_TRUNC the result is the length of the datagram, even if the buffer was too small for it.
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_TRUNC))
      if count < 0, errno == EINTR { continue }
      guard count > 0, count <= buffer.count else { return false }
      switch snapshot.read(buffer[..<count], sequence: number) {
      case .more: continue
      case .done: return true
      case .failed: return false
      }
    }
  }
}
#endif
