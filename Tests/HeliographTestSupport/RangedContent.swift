import Foundation
import HeliographTesting
import Signals

/// A file on a server, with ranges and a validator, and with the faults that a test asks for.
package final class RangedContent: Sendable {
  package struct State {
    package var data: Data
    package var etag: String? = "\"one\""
    package var fields: [(String, String)] = []
    /// Whether `Range` is ignored.
    package var ignoresRanges = false
    /// The number of bytes after which a connection is cut; `nil` for never.
    package var cut: Int?
    /// Returns a response instead of the content.
    package var other: (@Sendable (LoopbackRequest) -> LoopbackResponse?)?

    package init(
      data: Data, etag: String? = "\"one\"", fields: [(String, String)] = [], cut: Int? = nil,
      other: (@Sendable (LoopbackRequest) -> LoopbackResponse?)? = nil
    ) {
      self.data = data
      self.etag = etag
      self.fields = fields
      self.cut = cut
      self.other = other
    }
  }

  private let state: Guarded<State>

  package init(_ data: Data) { state = Guarded(State(data: data)) }

  package var data: Data { state.withLock { $0.data } }

  package func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

  /// Pseudo-random bytes, which do not repeat.
  package static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
    var words = [seed]
    while words.count * 8 < count + 8 {
      words.append(words[words.count - 1] &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407)
    }
    return words[1...].withUnsafeBytes { Data($0.prefix(count)) }
  }

  package func serve(_ request: LoopbackRequest) -> LoopbackResponse {
    let state = state.withLock { $0 }
    if let other = state.other?(request) { return other }
    var response = content(state, request)
    if let etag = state.etag { response = response.header("ETag", etag) }
    for field in state.fields { response = response.header(field.0, field.1) }
    return state.cut.map { response.cut(afterByteCount: $0) } ?? response
  }

  private func content(_ state: State, _ request: LoopbackRequest) -> LoopbackResponse {
    let isSame = request.header("If-Range").map { $0 == state.etag } ?? true
    guard let start = request.rangeStart, isSame, !state.ignoresRanges else { return .data(state.data) }
    let count = state.data.count
    guard start < count else { return .status(416).header("Content-Range", "bytes */\(count)") }
    return .data(state.data.suffix(from: start), status: 206)
      .header("Content-Range", "bytes \(start)-\(count - 1)/\(count)")
  }
}

extension LoopbackRequest {
  /// The first position of a `Range` without an end.
  package var rangeStart: Int? {
    guard let range = header("Range"), range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
    return Int(range.dropFirst(6).dropLast())
  }
}

/// A folder that is removed with it.
package final class DownloadFolder: Sendable {
  package let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    "heliograph-download-\(UUID().uuidString)")

  package init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The names of the files, sorted.
  package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }

  package func file(_ name: String = "film") -> URL { url.appendingPathComponent(name) }
}
