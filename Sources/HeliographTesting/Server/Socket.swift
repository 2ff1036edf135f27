import Foundation

/// A non-blocking TCP socket: its descriptor and the calls that the server makes.
struct Socket: Sendable {
  enum Transfer: Equatable {
    case bytes(Int)
    case wouldBlock
    /// The peer has sent its FIN.
    case end
    case failed
  }

  enum Acceptance {
    case socket(Socket)
    case none
    /// The connection was aborted in the backlog; the next one may be accepted.
    case aborted
    /// No descriptor or memory is free, and the connection stays in the backlog.
    case exhausted
    /// The listener accepts no more connections.
    case failed
  }

  let descriptor: Int32

  /// Creates a socket that listens on 127.0.0.1 with the kernel's maximum backlog.
  static func listening(on port: UInt16) throws(LoopbackServerError) -> Socket {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw LoopbackServerError(operation: "socket", code: errno) }
    let listener = Socket(descriptor: descriptor)
    do throws(LoopbackServerError) {
      listener.set(SOL_SOCKET, SO_REUSEADDR, 1)
      try listener.configure()
      var address = Self.address(port)
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard bound == 0 else { throw LoopbackServerError(operation: "bind", code: errno) }
      guard listen(descriptor, 4096) == 0 else { throw LoopbackServerError(operation: "listen", code: errno) }
      return listener
    } catch {
      listener.close()
      throw error
    }
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    #if canImport(Darwin)
    address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    #endif
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    return address
  }

  /// Returns the local port: the requested one, or the one that the kernel has chosen.
  func localPort() throws(LoopbackServerError) -> UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw LoopbackServerError(operation: "getsockname", code: errno) }
    return UInt16(bigEndian: address.sin_port)
  }

  func accept() -> Acceptance {
    let accepted = Foundation.accept(descriptor, nil, nil)
    if accepted < 0 { return Socket.acceptance(after: errno) }
    let socket = Socket(descriptor: accepted)
    do throws(LoopbackServerError) {
      try socket.configure()
    } catch {
      socket.close()
      return .aborted
    }
    // Without delay, so that each small write of a script is sent on its own.
    socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    return .socket(socket)
  }

  static func acceptance(after code: Int32) -> Acceptance {
    switch code {
    case EAGAIN, EWOULDBLOCK: .none
    // Linux reports the network errors of the new connection; see accept(2).
    case EINTR, ECONNABORTED, EPROTO, ENOPROTOOPT, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH: .aborted
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: .exhausted
    default: .failed
    }
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    let transfer = transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    return transfer == .bytes(0) ? .end : transfer
  }

  /// Writes as many bytes as the kernel accepts, without SIGPIPE if the peer has closed.
  func send(_ buffer: UnsafeRawBufferPointer) -> Transfer {
    #if canImport(Darwin)
    // The socket has SO_NOSIGPIPE instead.
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    return transfer { Foundation.send(descriptor, buffer.baseAddress, buffer.count, flags) }
  }

  /// Makes a system call that returns a number of bytes, again if a signal has interrupted it.
  private func transfer(_ call: () -> Int) -> Transfer {
    while true {
      let count = call()
      if count >= 0 { return .bytes(count) }
      if errno != EINTR { return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed }
    }
  }

  /// The number of written bytes that the peer's kernel has not acknowledged.
  var unacknowledgedByteCount: Int {
    var count: Int32 = 0
    #if canImport(Darwin)
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &length) == 0 ? Int(count) : 0
    #else
    return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    #endif
  }

  /// Sends the FIN; reading remains possible.
  func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Makes the next `close()` send an RST instead of a FIN.
  func resetOnClose() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  func close() {
    _ = Foundation.close(descriptor)
  }

  private func configure() throws(LoopbackServerError) {
    try Self.makeNonBlocking(descriptor)
    #if canImport(Darwin)
    set(SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  /// Makes a descriptor non-blocking and close-on-exec.
  static func makeNonBlocking(_ descriptor: Int32) throws(LoopbackServerError) {
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { throw LoopbackServerError(operation: "fcntl", code: errno) }
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Raises the soft limit of open descriptors to the hard limit, at most 65,536 (`OPEN_MAX` on Darwin).
  static func raiseDescriptorLimit() {
    // A higher one would slow down programs that start others, which often close every descriptor up to the limit.
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    #if canImport(Darwin)
    let maximum = rlim_t(OPEN_MAX)
    #else
    let maximum: rlim_t = 65_536
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    let desired = min(limit.rlim_max, maximum)
    guard desired > limit.rlim_cur else { return }
    limit.rlim_cur = desired
    setrlimit(resource, &limit)
  }
}
