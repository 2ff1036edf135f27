import Foundation
import Heliograph

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A server that reads a request of any length without keeping it, and answers with its size and checksum as JSON.
///
/// The other servers of the tests keep what comes, which a test of memory would see.
package final class SinkServer: Sendable {
  private let acceptor: LoopbackAcceptor

  /// What has come, as the server answers it.
  package struct Answer: Codable, Sendable, Equatable {
    /// The size of the body.
    package let count: Int
    /// Whether each byte of the body was that of the test; see ``SinkServer/byte``.
    package let isWhole: Bool

    package init(count: Int, isWhole: Bool) {
      self.count = count
      self.isWhole = isWhole
    }
  }

  /// The only byte of the bodies, which is none of the framing.
  package static let byte: UInt8 = 0xA5

  /// Starts it.
  ///
  /// - Throws: when no port can be had.
  package init() throws {
    acceptor = try LoopbackAcceptor { client in
      if let answer = SinkServer.read(client), let body = try? JSONEncoder().encode(answer) {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        LoopbackSocket.write(Data("\(head)Connection: close\r\n\r\n".utf8) + body, to: client)
      }
      close(client)
    }
  }

  package var url: URL? { URL(string: "http://127.0.0.1:\(acceptor.port)/sink") }

  /// The size of the request's body; `nil` if the client closes before its end.
  private static func read(_ client: Int32) -> Answer? {
    guard let head = LoopbackSocket.readHead(client) else { return nil }
    let fields = String(decoding: head, as: UTF8.self).lowercased()
    let length = fields.components(separatedBy: "content-length: ").dropFirst().first.flatMap {
      Int($0.prefix { $0.isNumber })
    }
    // All other bytes are framing. The last chunk ends with these.
    let tail = Data("0\r\n\r\n".utf8)
    var last = Data()
    var (byteCount, bodyByteCount) = (0, 0)
    var buffer = [UInt8](repeating: 0, count: 262_144)
    while length.map({ byteCount < $0 }) ?? !last.suffix(tail.count).elementsEqual(tail) {
      let count = recv(client, &buffer, buffer.count, 0)  // blocks: a thread of its own
      guard count > 0 else { return nil }
      byteCount += count
      bodyByteCount += SinkServer.count(buffer, count)
      last = last.suffix(tail.count) + Data(buffer[max(0, count - tail.count)..<count])
    }
    return Answer(count: bodyByteCount, isWhole: length.map { $0 == bodyByteCount && byteCount == $0 } ?? true)
  }

  /// Counts the bytes of a body: blocks of eight at a time, as most are.
  private static func count(_ buffer: [UInt8], _ count: Int) -> Int {
    buffer.withUnsafeBytes { bytes in
      let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
      var found = 0
      var index = 0
      while index < count {
        if index + 8 <= count, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) == pattern {
          found += 8
          index += 8
        } else {
          if bytes[index] == byte { found += 1 }
          index += 1
        }
      }
      return found
    }
  }
}
