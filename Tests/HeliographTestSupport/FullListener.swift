import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A port on 127.0.0.1 that lets nobody connect, and refuses nobody: its queue of connections is full.
///
/// On Linux the kernel then drops what asks to connect, as a host does that is not there. On Darwin the queue is longer
/// than the least that one can ask for, and there is no such listener.
package final class FullListener: Sendable {
  /// Whether there can be one.
  #if os(Linux)
  package static let isPossible = true
  #else
  package static let isPossible = false
  #endif

  package let port: UInt16
  private let descriptors: [Int32]

  /// Makes `nil` if a system call fails, or if it would not be full.
  package convenience init?() {
    #if os(Linux)
    guard let (listener, port) = try? LoopbackSocket.listen(backlog: 0) else { return nil }
    self.init(listener, port)
    #else
    return nil
    #endif
  }

  /// Fills the queue of a listener with a backlog of 0, and closes it at the end.
  package init(_ listener: Int32, _ port: UInt16) {
    var descriptors = [listener]
    // More than a queue of the least length holds.
    for _ in 0..<4 {
      guard let filler = try? LoopbackSocket.make() else { continue }
      _ = fcntl(filler, F_SETFL, O_NONBLOCK)
      descriptors.append(filler)
      LoopbackSocket.connect(filler, to: port)
    }
    self.port = port
    self.descriptors = descriptors
  }

  /// The number of sockets of this machine that wait for it to accept their connection.
  package var connectingCount: Int {
    // A line of the file has the local address, the remote one, and the state, of which 02 is SYN_SENT.
    let table = FileHandle(forReadingAtPath: "/proc/net/tcp").flatMap { try? $0.readToEnd() } ?? Data()
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    return String(decoding: table, as: UTF8.self).split(separator: "\n")
      .count { line in
        let columns = line.split(separator: " ")
        return columns.count > 3 && columns[2].hasSuffix(suffix) && columns[3] == "02"
      }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
