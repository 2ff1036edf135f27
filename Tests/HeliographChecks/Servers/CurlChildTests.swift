#if os(Linux)
import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What processes see that are started while requests are in flight.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlChildTests {
  @Test("S2-4") func aChildDoesNotHoldConnectionsOpen() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/never") { _ in .never }
    let recorder = SignalRecorder(try CurlTransport().send(HTTPRequest(url: server.url("/never"))))
    await expect(server.wait { $0.requests.count == 1 })
    let inherited = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
      guard let text = try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8) else { return false }
      let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      // O_CLOEXEC is 02000000.
      let flags = text.split(separator: "\n").first { $0.hasPrefix("flags:") }?.split(separator: "\t").last
      let isKept = flags.flatMap { Int($0, radix: 8) }.map { $0 & 0o2_000_000 != 0 } ?? true
      return link?.hasPrefix("socket:") == true && !isKept && Int32(name).map(isConnected(to: server.port)) == true
    }
    expect(inherited.isEmpty)
    recorder.dispose()
  }

  /// Whether a socket's other end is a port.
  private func isConnected(to port: UInt16) -> @Sendable (Int32) -> Bool {
    { descriptor in
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
      }
      return result == 0 && UInt16(bigEndian: address.sin_port) == port
    }
  }
}
#endif
