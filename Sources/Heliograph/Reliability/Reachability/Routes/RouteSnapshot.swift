#if canImport(Glibc) || canImport(Musl)
/// The kernel's links and routes, reduced to whether a route leads out of this machine.
package struct RouteSnapshot: Sendable, Equatable {
  package enum Progress: Sendable {
    case more, done
    /// The kernel reported an error, or its response is malformed; the status is then unknown.
    case failed
  }

  /// The links that are up, running and not the loopback.
  private var runningLinks: Set<Int32> = []
  /// The links of the routes that lead out of this machine.
  private var usedLinks: Set<Int32> = []
  /// Whether a route uses a nexthop object, whose link is not resolved; any running link is then taken for it.
  private var hasUnresolvedLink = false

  package init() {}

  package var isReachable: Bool {
    !usedLinks.isDisjoint(with: runningLinks) || (hasUnresolvedLink && !runningLinks.isEmpty)
  }

  /// Reads one datagram from the kernel, which may be malformed; responses to other requests are skipped.
  package mutating func read(_ datagram: ArraySlice<UInt8>, sequence: UInt32) -> Progress {
    var messages = NetlinkRecords<UInt32>(datagram, headerByteCount: Netlink.headerByteCount)
    while let message = messages.next() {
      guard let type = message.integer(at: 4, as: UInt16.self), message.integer(at: 8, as: UInt32.self) == sequence
      else { continue }
      let body = message.dropFirst(Netlink.headerByteCount)
      switch type {
      case Netlink.done: return (body.integer(at: 0, as: Int32.self) ?? 0) < 0 ? .failed : .done
      case Netlink.error, Netlink.overrun: return .failed
      case Netlink.newLink: if !addLink(body) { return .failed }
      case Netlink.newRoute: if !addRoute(body) { return .failed }
      default: continue
      }
    }
    return messages.isBroken ? .failed : .more
  }

  private mutating func addLink(_ body: ArraySlice<UInt8>) -> Bool {
    guard body.count >= Netlink.linkByteCount, let index = body.integer(at: 4, as: Int32.self),
      let flags = body.integer(at: 8, as: UInt32.self)
    else { return false }
    let required = Netlink.isUp | Netlink.isRunning
    if flags & (required | Netlink.isLoopback) == required { runningLinks.insert(index) }
    return true
  }

  private mutating func addRoute(_ body: ArraySlice<UInt8>) -> Bool {
    guard let route = Route(body) else { return false }
    guard route.leadsOut else { return true }
    if route.links.isEmpty { hasUnresolvedLink = true } else { usedLinks.formUnion(route.links) }
    return true
  }
}

/// A route of the kernel: `rtmsg` and its attributes.
private struct Route {
  private let family: UInt8
  private let type: UInt8
  private let prefixBitCount: UInt8
  private var table: UInt32
  private var destination: ArraySlice<UInt8> = []
  private(set) var links: [Int32] = []

  init?(_ body: ArraySlice<UInt8>) {
    guard body.count >= Netlink.routeByteCount, let family = body.integer(at: 0, as: UInt8.self),
      let prefixBitCount = body.integer(at: 1, as: UInt8.self), let table = body.integer(at: 4, as: UInt8.self),
      let type = body.integer(at: 7, as: UInt8.self)
    else { return nil }
    (self.family, self.prefixBitCount, self.table, self.type) = (family, prefixBitCount, UInt32(table), type)
    var attributes = NetlinkRecords<UInt16>(
      body.dropFirst(Netlink.routeByteCount), headerByteCount: Netlink.attributeHeaderByteCount)
    while let attribute = attributes.next() {
      guard let name = attribute.integer(at: 2, as: UInt16.self),
        add(attribute.dropFirst(Netlink.attributeHeaderByteCount), as: name & Netlink.attributeMask)
      else { return nil }
    }
    if attributes.isBroken { return nil }
  }

  /// Whether packets to other machines use the route.
  ///
  /// Every table counts, except the one with this machine's own addresses; rules select the table (ip-rule(8)).
  var leadsOut: Bool {
    type == Netlink.unicast && table != Netlink.localTable
      && (family == Netlink.internet || family == Netlink.internet6) && !isLinkLocal
  }

  /// Whether the destination is within IPv6's fe80::/10.
  private var isLinkLocal: Bool {
    guard family == Netlink.internet6, prefixBitCount >= 10, destination.count >= 2 else { return false }
    return destination[destination.startIndex] == 0xFE && destination[destination.startIndex + 1] & 0xC0 == 0x80
  }

  private mutating func add(_ value: ArraySlice<UInt8>, as name: UInt16) -> Bool {
    switch name {
    case Netlink.destination: destination = value
    case Netlink.outgoingLink:
      guard let link = value.integer(at: 0, as: Int32.self) else { return false }
      links.append(link)
    case Netlink.table:
      // The header has only 8 bits for the number of the table.
      guard let table = value.integer(at: 0, as: UInt32.self) else { return false }
      self.table = table
    case Netlink.hops:
      var hops = NetlinkRecords<UInt16>(value, headerByteCount: Netlink.hopHeaderByteCount)
      while let hop = hops.next() {
        if let link = hop.integer(at: 4, as: Int32.self) { links.append(link) }
      }
      return !hops.isBroken
    default: break
    }
    return true
  }
}
#endif
