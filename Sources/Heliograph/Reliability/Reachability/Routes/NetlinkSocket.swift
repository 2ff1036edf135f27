#if canImport(Glibc) || canImport(Musl)
import Foundation
import Synchronization

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
