import Foundation
import Heliograph

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A proxy on loopback that makes tunnels (RFC 9110 §9.3.6), whatever the host's name, to 127.0.0.1.
final class TunnelProxy: Sendable {
  let port: UInt16
  private let listener: Int32
  private let seen = Seen()

  /// What has come; the threads outlive the proxy.
  private final class Seen: Sendable {
    let heads = Guarded<[String]>([])
  }

  /// Starts it.
  ///
  /// - Parameter status: what it answers to `CONNECT`; only after 200 there is a tunnel.
  /// - Throws: when no port can be had.
  init(status: Int = 200) throws {
    let listener = Self.makeSocket()
    var address = Self.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else { throw CocoaError(.executableLoad) }
    port = UInt16(bigEndian: address.sin_port)
    self.listener = listener
    Thread.detachNewThread { [seen] in
      while true {
        let client = accept(listener, nil, nil)
        // The listener was shut down.
        guard client >= 0 else { break }
        Thread.detachNewThread { Self.serve(client, status, seen) }
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The heads that have come, in order.
  var heads: [String] { seen.heads.withLock { $0 } }

  private static func makeSocket() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    return address
  }

  private static func serve(_ client: Int32, _ status: Int, _ seen: Seen) {
    defer { close(client) }
    var head = Data()
    while !head.hasSuffix("\r\n\r\n") {
      var byte: UInt8 = 0
      guard recv(client, &byte, 1, 0) == 1 else { return }
      head.append(byte)
    }
    let text = String(decoding: head, as: UTF8.self)
    seen.heads.withLock { $0.append(text) }
    let target = text.split(separator: " ").dropFirst().first ?? ""
    guard text.hasPrefix("CONNECT "), let port = UInt16(target.split(separator: ":").last ?? "") else { return }
    let server = makeSocket()
    defer { close(server) }
    var address = address(port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    let answer = status == 200 && !isConnected ? 502 : status
    let length = answer == 200 ? "" : "Content-Length: 0\r\n"
    guard send(Data("HTTP/1.1 \(answer) \(answer)\r\n\(length)\r\n".utf8), to: client), answer == 200 else { return }
    pump(client, server)
  }

  /// Carries bytes both ways until both sides have ended.
  private static func pump(_ client: Int32, _ server: Int32) {
    var ends: [Int32: Int32] = [client: server, server: client]
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !ends.isEmpty {
      var waiting = ends.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&waiting, nfds_t(waiting.count), -1) > 0 else { return }
      for ready in waiting where ready.revents != 0 {
        guard let target = ends[ready.fd] else { continue }
        let count = recv(ready.fd, &buffer, buffer.count, 0)
        if count > 0 {
          guard send(Data(buffer[..<count]), to: target) else { return }
        } else {
          ends[ready.fd] = nil
          shutdown(target, Int32(SHUT_WR))
        }
      }
    }
  }

  private static func send(_ data: Data, to descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { sendBytes(descriptor, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

// The method above hides the function of the same name.
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  send(descriptor, bytes, count, flags)
}

extension Data {
  fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
