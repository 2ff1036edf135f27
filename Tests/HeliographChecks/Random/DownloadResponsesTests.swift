import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Downloads from a server that answers at random: whatever it says, a file is one version as a whole, or there is none.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct DownloadResponsesTests {
  private static let count = Scale.isFull ? 4_000 : Scale.isMedium ? 400 : 80
  private static let versions = (0..<3).map { RangedContent.bytes(90_000 + 1_000 * $0, seed: UInt64($0 + 1)) }

  private let server: LoopbackServer
  private let folder: DownloadFolder

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    server.route("GET", "/film") { Self.respond(to: $0) }
  }

  /// Entity tags and the bytes of a range are right, and a 416 has its entity tag: what is false there cannot be noticed.
  private static func respond(to request: LoopbackRequest) -> LoopbackResponse {
    let version = Int.random(in: 0..<8) < 6 ? 0 : Int.random(in: 1..<versions.count)
    let data = versions[version]
    let start = request.rangeStart
    var response: LoopbackResponse
    switch Int.random(in: 0..<20) {
    case 0: response = .status([400, 404, 500, 503].randomElement() ?? 500)
    case 1: response = .status([202, 204, 205, 226].randomElement() ?? 204)
    case 2:
      return .status(416).header("Content-Range", "bytes */\(Bool.random() ? data.count : .random(in: 0...200_000))")
        .header("ETag", "\"\(version)\"")
    case 3...13 where start != nil:
      let from = Int.random(in: 0..<8) == 0 ? Int.random(in: 0..<data.count) : min(start ?? 0, data.count - 1)
      let to = Int.random(in: 0..<4) == 0 ? Int.random(in: from..<data.count) : data.count - 1
      let piece = data[from...to]
      response = .data(piece, status: 206)
      let total =
        ["\(data.count)", "\(data.count)", "\(data.count)", "*", "\(data.count + 1)", "x"].randomElement() ?? "*"
      if Int.random(in: 0..<10) > 0 { response = response.header("Content-Range", "bytes \(from)-\(to)/\(total)") }
    default: response = Bool.random() ? .data(data) : .chunked([data.prefix(40_000), data.dropFirst(40_000)])
    }
    switch Int.random(in: 0..<10) {
    case 0: break
    case 1: response = response.header("ETag", "W/\"\(version)\"")
    case 2: response = response.header("ETag", "\(version)")
    default: response = response.header("ETag", "\"\(version)\"")
    }
    if Int.random(in: 0..<12) == 0 { response = response.header("Accept-Ranges", "none") }
    return Int.random(in: 0..<3) == 0 ? response.cut(afterByteCount: .random(in: 1...80_000)) : response
  }

  @Test("P8") func aFileIsOneVersionAsAWhole() async throws {
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: try CurlTransport()))
    let request = Request(.get, "/film", options: .with { $0.progressInterval = .zero })
    var finished = 0
    for _ in 0..<Self.count {
      let recorder = SignalRecorder(client.download(request: request, to: folder.file()))
      await recorder.waitForEnd()
      expect(recorder.isCompleted || recorder.failure != nil)
      expect(recorder.violations.isEmpty, "\(recorder.events)")
      let progress = recorder.values.compactMap(\.progress)
      expect(progress.allSatisfy { (0...1).contains($0.fractionCompleted ?? 0) }, "\(progress)")
      guard recorder.values.last?.finished != nil else { continue }
      finished += 1
      let data = try Data(contentsOf: folder.file())
      expect(Self.versions.contains(data), "\(data.count) bytes")
      expectEqual(folder.names, ["film"])
      try FileManager.default.removeItem(at: folder.file())
    }
    expect(finished > Self.count / 10)
    if Scale.isMedium {
      print("responses: \(Self.count) downloads, \(server.log.requests.count) requests, \(finished) files")
    }
  }
}
