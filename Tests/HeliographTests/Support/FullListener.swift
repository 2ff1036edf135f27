#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A port on 127.0.0.1 that lets nobody connect, and refuses nobody: its queue of connections is full.
///
/// On Linux the kernel then drops what asks to connect, as a host does that is not there.
final class FullListener: Sendable {
  let port: UInt16
  private let descriptors: [Int32]

  /// Makes `nil` if a system call fails.
  init?() {
    guard let listener = FullListener.socket() else { return nil }
    var descriptors = [listener]
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, address, &length) == 0
      }
    }
    // More than a queue of the least length holds.
    for _ in 0..<4 where isListening {
      guard let filler = FullListener.socket() else { continue }
      descriptors.append(filler)
      withUnsafeMutablePointer(to: &address) { pointer in
        _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(filler, $0, length) }
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    self.descriptors = descriptors
    if !isListening { return nil }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  private static func socket() -> Int32? {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let descriptor = systemSocket(AF_INET, kind, 0)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }
}

/// The method above hides the function of the same name.
private func systemSocket(_ domain: Int32, _ kind: Int32, _ number: Int32) -> Int32 { socket(domain, kind, number) }
