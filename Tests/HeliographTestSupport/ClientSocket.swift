#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket of this process that is connected to a port.
package struct ClientSocket {
  package let descriptor: Int32

  /// Finds it among the descriptors of the process; `nil` if there is none.
  package init?(to port: UInt16) {
    let client = (3..<4096).map(Int32.init).first { descriptor in
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
      }
      return status == 0 && address.sin_family == sa_family_t(AF_INET) && UInt16(bigEndian: address.sin_port) == port
    }
    guard let client else { return nil }
    descriptor = client
  }

  /// Whether it has received something that is not read yet.
  package var isReadable: Bool {
    var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, 0) == 1
  }
}
