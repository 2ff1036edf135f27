import Foundation
import Heliograph

/// A TLS server on loopback that says no word of HTTP by itself: `openssl s_server`.
///
/// It serves one connection at a time and sends what is written to its input. It ends with its last reference.
package final class OpenSSLServer: Sendable {
  package let port: UInt16
  private let input: FileHandle
  private let output: FileHandle
  private let child: Child
  private let life = Life()

  private final class Life: Sendable {
    let hasEnded = Guarded(false)
  }

  /// Starts it; it is listening when this returns.
  ///
  /// - Parameter options: what else it is told.
  /// - Throws: when it cannot be started.
  package init(_ options: [String]) throws {
    let folder = try Certificates.folder.get().path
    let (input, output) = (Pipe(), Pipe())
    let program = Certificates.openssl?.path ?? ""
    // Its input stays open as long as ours.
    let child = try Child(
      program,
      [
        "s_server", "-accept", "127.0.0.1:0", "-cert", "\(folder)/site.pem", "-key", "\(folder)/site.key", "-CAfile",
        "\(folder)/ca.pem",
      ] + options, input: input.fileHandleForReading, output: output.fileHandleForWriting)
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    var text = ""
    while !text.contains("ACCEPT ") || !text.hasSuffix("\n") {
      guard let data = try self.output.read(upToCount: 1), !data.isEmpty else { throw CocoaError(.executableLoad) }
      text += String(decoding: data, as: UTF8.self)
    }
    guard let port = UInt16(text.split(separator: "\n").last?.split(separator: ":").last ?? "") else {
      throw CocoaError(.executableLoad)
    }
    self.port = port
    self.child = child
    Thread.detachNewThread { [output = self.output, life] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while read(output.fileDescriptor, &buffer, buffer.count) > 0 {}
      // Its number belongs to it until it is waited for.
      life.hasEnded.withLock { $0 = true }
      // blocks: a thread of its own.
      child.waitBlocking()
    }
  }

  deinit {
    // While it waits for a connection it does not read its input.
    life.hasEnded.withLock { hasEnded in if !hasEnded { child.end() } }
    try? input.close()
  }

  package func send(_ text: String) throws { try input.write(contentsOf: Data(text.utf8)) }

  package var address: String { "https://localhost:\(port)/" }
}
