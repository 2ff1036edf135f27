import Foundation
import Heliograph

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Keeps the bytes of requests as they come from the socket, and answers each with an empty 200 and a close.
///
/// The other server of the tests reads what it gets, and forgives white space and framing that bytes must show.
final class WireServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let seen = Seen()

  /// What has come; the thread outlives the server.
  private final class Seen: Sendable {
    let requests = Guarded<[Data]>([])
  }

  /// Starts it.
  ///
  /// - Parameter early: what it writes instead, before it has read the request. Default: nothing.
  /// - Throws: when no port can be had.
  init(early: Data? = nil) throws {
    #if canImport(Glibc)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else {
      close(listener)
      throw CocoaError(.executableLoad)
    }
    port = UInt16(bigEndian: address.sin_port)
    self.listener = listener
    Thread.detachNewThread { [seen] in
      while true {
        let client = accept(listener, nil, nil)
        // The listener was shut down.
        guard client >= 0 else { break }
        if let early { Self.deliver(early, to: client) }
        if let request = Self.read(client) { seen.requests.withLock { $0.append(request) } }
        if early == nil { Self.deliver(Self.emptyAnswer, to: client) }
        close(client)
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The requests that have come, in order, each with its head and its framing.
  var requests: [Data] { seen.requests.withLock { $0 } }

  /// One whole request; `nil` if the client goes away before its end.
  private static func read(_ client: Int32) -> Data? {
    var received = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !WireRequest.isComplete(received) {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      received.append(contentsOf: buffer[..<count])
    }
    return received
  }

  private static let emptyAnswer = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)

  private static func deliver(_ answer: Data, to client: Int32) {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    _ = answer.withUnsafeBytes { send(client, $0.baseAddress, $0.count, flags) }
  }
}
