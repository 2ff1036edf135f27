import Foundation
import Heliograph
import HeliographTesting

@testable import Courier

/// A run of the tool in this process, with a server and an empty folder of its own.
final class Trial {
  let server: LoopbackServer
  let folder: URL
  var output = Recorder()
  var errors = Recorder()

  init() throws {
    server = try LoopbackServer()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("courier-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs a command; a word `/path` at the second place is on the server.
  func run(_ words: String..., environment: [String: String] = [:]) async -> Int32 {
    await run(words, environment: environment)
  }

  func run(_ words: [String], environment: [String: String] = [:]) async -> Int32 {
    await Courier.run(completed(words), output: output, errors: errors, environment: environment)
  }

  /// Starts a command, to be cancelled later.
  func start(_ words: String...) -> Task<Int32, Never> {
    let (words, output, errors) = (completed(words), output, errors)
    return Task {
      let code = await Courier.run(words, output: output, errors: errors)
      for recorder in [output, errors] { recorder.end() }
      return code
    }
  }

  private func completed(_ words: [String]) -> [String] {
    words.enumerated().map { $0 == 1 && $1.hasPrefix("/") ? server.url($1).absoluteString : $1 }
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// The content of a file in the folder; `nil` if there is none.
  func content(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }

  func create(_ name: String, _ content: Data) throws { try content.write(to: folder.appendingPathComponent(name)) }

  /// The names of the files in the folder.
  var fileNames: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() }

  /// Runs blocking work outside the threads of tasks, which are few.
  static func blocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
  }

  /// Bytes that do not repeat, 3,000,000 at most.
  static func bytes(_ count: Int) -> Data { sample.prefix(count) }

  private static let sample: Data = {
    var number: UInt64 = 42
    var words: [UInt64] = []
    while words.count < 375_000 {
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      words.append(number ^ number >> 32)
    }
    return words.withUnsafeBytes { Data($0) }
  }()
}

extension LoopbackServer {
  /// Serves content with ranges; the first response ends after a number of bytes of its body, if there is one, and
  /// closes the connection or holds it.
  func serve(_ content: Data, at path: String, firstByteCount: Int? = nil, holds: Bool = false) {
    let isFirst = Flag()
    route("GET", path) { request in
      let start = request.header("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      if let firstByteCount, isFirst.take() {
        let head = "HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: \(content.count)\r\n\r\n"
        let half = content.prefix(firstByteCount / 2)
        // Progress is shown ten times a second.
        let pause: LoopbackResponse.Step = .delay(.milliseconds(holds ? 200 : 0))
        let rest = content.prefix(firstByteCount).dropFirst(half.count)
        return .script([.text(head), .bytes(half), pause, .bytes(rest), holds ? .hold : .close])
      }
      let response = LoopbackResponse.data(content.dropFirst(start), status: start > 0 ? 206 : 200)
        .header("ETag", "\"one\"")
      return start > 0
        ? response.header("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)") : response
    }
  }
}
