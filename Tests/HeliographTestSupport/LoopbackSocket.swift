import Foundation
import HeliographTesting

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Plain TCP sockets on 127.0.0.1 and Unix domain sockets, for servers that say byte by byte what a test wants.
package enum LoopbackSocket {
  /// A socket that children do not inherit, and whose closed peers end no process.
  ///
  /// - Throws: when there are no more descriptors.
  package static func make(_ family: Int32 = AF_INET) throws -> Int32 {
    #if canImport(Glibc)
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(family, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw CocoaError(.executableLoad) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
    // What a listener accepts has it, too.
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
    return descriptor
  }

  /// A listening socket, and its port.
  ///
  /// - Throws: when no port can be had.
  package static func listen(backlog: Int32 = 64) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = try make()
    var address = address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && systemListen(descriptor, backlog) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else {
      close(descriptor)
      throw CocoaError(.executableLoad)
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// A Unix domain socket that listens at a path.
  ///
  /// - Throws: when the path cannot be had.
  package static func listen(at path: String) throws -> Int32 {
    let descriptor = try make(AF_UNIX)
    var address = sockaddr_un()
    address.sun_family = .init(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let isListening = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && systemListen(descriptor, 64) == 0
      }
    }
    guard isListening else {
      close(descriptor)
      throw CocoaError(.executableLoad)
    }
    return descriptor
  }

  /// Binds a socket to a local port that others may share, 0 for a free one; returns the port.
  package static func bindShared(_ descriptor: Int32, to port: UInt16) -> UInt16? {
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    var address = address(port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    return isBound ? UInt16(bigEndian: address.sin_port) : nil
  }

  /// Returns a port on which nobody listens; throws when it cannot be had.
  ///
  /// The port is a free one, or that of a server that has stopped. It stays bound to the end of the process, so that no
  /// server of another test is given it.
  package static func closedPort(_ port: UInt16 = 0) throws -> UInt16 {
    let descriptor = try make()
    guard let bound = bindShared(descriptor, to: port) else {
      close(descriptor)
      throw CocoaError(.executableLoad)
    }
    return bound
  }

  /// Connects a socket to a port; returns whether it is connected by then.
  @discardableResult
  package static func connect(_ descriptor: Int32, to port: UInt16) -> Bool {
    var address = address(port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        systemConnect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// The head of a request with the empty line that ends it, and nothing of the body; `nil` if the client closes before.
  package static func readHead(_ client: Int32) -> Data? {
    let end = Data("\r\n\r\n".utf8)
    var head = Data()
    while head.suffix(end.count) != end {
      var byte: UInt8 = 0
      guard recv(client, &byte, 1, 0) == 1 else { return nil }  // blocks: a thread of its own
      head.append(byte)
    }
    return head
  }

  /// Writes all of it; returns whether the other side has taken it.
  @discardableResult
  package static func write(_ data: Data, to descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    return address
  }
}

extension LoopbackServer {
  /// Stops, and keeps the port from the servers of other tests.
  ///
  /// - Throws: when another has the port already.
  package func stopForGood() throws {
    stop()
    _ = try LoopbackSocket.closedPort(port)
  }
}

/// Accepts connections on a thread of its own, for as long as it is there.
package final class LoopbackAcceptor: Sendable {
  /// The port; 0 for a Unix domain socket.
  package let port: UInt16
  private let listener: Int32

  /// - Parameters:
  ///   - path: that of a Unix domain socket. Default: a port is listened at.
  ///   - serve: runs on the accepting thread, and closes the connection.
  /// - Throws: when the port or the path cannot be had.
  package init(at path: String? = nil, _ serve: @escaping @Sendable (Int32) -> Void) throws {
    let (listener, port) = try path.map { (try LoopbackSocket.listen(at: $0), 0) } ?? LoopbackSocket.listen()
    self.listener = listener
    self.port = port
    Thread.detachNewThread {
      while true {
        let client = accept(listener, nil, nil)
        // The listener was shut down.
        guard client >= 0 else { break }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        serve(client)
      }
      #if !canImport(Darwin)
      close(listener)
      #endif
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    #if canImport(Darwin)
    // There a shutdown does not wake the thread.
    close(listener)
    #endif
  }
}

// The methods above hide the functions of the same name.

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  connect(descriptor, address, length)
}
