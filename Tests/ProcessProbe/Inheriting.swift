import Foundation
import Heliograph

/// Uses a transport and looks at what a child would inherit, and at what its thread does with SIGPIPE.
///
/// Arguments: address, file of authorities.
struct Inheriting {
  private let url: URL
  private let settings: TransportSettings

  init(_ arguments: [String]) throws {
    url = try arguments.url(0)
    var settings = TransportSettings()
    settings.proxy = .direct
    settings.trust.authorities = URL(fileURLWithPath: try arguments.text(1))
    self.settings = settings
  }

  func run() async throws {
    let before = try inherited()
    let transport = try CurlTransport(settings)
    guard try await transport.send(HTTPRequest(url: url)).last().first() != nil else { throw Failure("no response") }
    let left = try inherited().subtracting(before)
    guard left.isEmpty else { throw Failure("a child would inherit \(left)") }
    try checkSignals()
    withExtendedLifetime(transport) {}
  }

  /// The descriptors, with what they are, that are not closed when another program is run.
  private func inherited() throws -> Set<String> {
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
      guard let number = Int32(name), number > 2 else { return false }
      let flags = fcntl(number, F_GETFD)
      return flags >= 0 && flags & FD_CLOEXEC == 0
    }
    return Set(
      names.map { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        return "\(name): \(target ?? "")"
      }
    ).filter { $0.contains("socket") || $0.contains("pipe") || $0.contains("eventfd") }
  }

  private func checkSignals() throws {
    for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
      let status = (try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8)) ?? ""
      guard status.contains("heliograph.curl") else { continue }
      let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
      let blocked = line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
      // Signal n is bit n - 1.
      guard blocked & (1 << UInt64(SIGPIPE - 1)) != 0 else { throw Failure("SIGPIPE is not blocked") }
      return
    }
    throw Failure("the thread is not there")
  }
}
