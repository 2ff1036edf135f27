import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

// Older compilers have no isolated conformances.
#if compiler(>=6.2)
/// When an async method returns or throws, its request has ended and its response is stored, however long monitors
/// take; a cancellation does not wait for them.
@MainActor @Suite(.serialized) struct ReturnStormTests {
  nonisolated struct Item: Codable, Sendable { var id: Int }
  struct Isolated: @MainActor Decodable { let id: Int }

  /// Counts the requests in flight by their paths.
  nonisolated final class PathMonitor: Monitor {
    private struct State {
      var paths: [RequestID: String] = [:]
      var counts: [String: Int] = [:]
      var hasStarted: Set<String> = []
    }

    private let state = Guarded(State())

    func observe(_ event: MonitorEvent) {
      // sleeps: what precedes an event would reach the test meanwhile
      if Int.random(in: 0..<8) == 0 { Thread.sleep(forTimeInterval: 0.000_1 * Double(Int.random(in: 0..<20))) }
      state.withLock { state in
        switch event {
        case .started(let id, let request):
          let path = "\(request?.path.description.prefix { $0 != "?" } ?? "none")"
          state.paths[id] = path
          state.counts[path, default: 0] += 1
          state.hasStarted.insert(path)
        case .ended(let report):
          guard let path = state.paths.removeValue(forKey: report.id) else { return }
          state.counts[path, default: 0] -= 1
        default: break
        }
      }
    }

    func inFlightCount(_ path: String) -> Int? {
      state.withLock { $0.hasStarted.contains(path) ? $0.counts[path] : nil }
    }
  }

  private enum Kind: String, CaseIterable { case fine, missing, broken, unreadable, redirected }
  private enum Function: CaseIterable {
    case send, value, isolated, isolatedUpload, upload, download, data, first, signalValue, loop, call
  }

  private func run(_ function: Function, _ request: Request, _ client: NetworkClient, _ folder: URL) async throws {
    switch function {
    case .send: _ = try await client.send(request, as: Item.self)
    case .value: _ = try await client.value(of: request, as: Item.self)
    case .isolated: _ = try await client.value(of: request, as: Isolated.self)
    case .isolatedUpload: _ = try await client.upload(request, as: Isolated.self) { _ in }
    case .upload: _ = try await client.upload(request, as: Item.self)
    case .download: _ = try await client.download(request, to: folder.appendingPathComponent("\(UUID())"))
    case .data: _ = try await client.send(request)
    case .first: _ = try await client.enqueue(request: request, resultType: Item.self).first()
    case .signalValue: _ = try await client.enqueue(request: request, resultType: Item.self).value()
    case .loop: for try await _ in client.enqueue(request: request, resultType: Item.self).values {}
    case .call:
      _ = try await client.call(request, as: Item.self).send()
    }
  }

  @Test(arguments: [false, true]) func allOfARequestPrecedesItsResult(_ isImmediate: Bool) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/fine/*") { _ in .json(#"{"id":1}"#) }
    server.route("GET", "/missing/*") { _ in .json("{}", status: 404) }
    server.route("GET", "/broken/*") { _ in .json("{}", status: 503) }
    server.route("GET", "/unreadable/*") { _ in .json(#"{"x":1}"#) }
    server.route("GET", "/redirected/*") { _ in .redirect(to: "/fine/redirected") }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("returns-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let monitor = PathMonitor()
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.monitors = [monitor]
      $0.processing = isImmediate ? .immediate : .global
      $0.retry = Retry(limit: 1, backoff: .constant(.milliseconds(1)))
    }
    let count = Scale.isFull ? 20_000 : Scale.isMedium ? 3_000 : 1_000
    let lanes = (0..<6).map { lane in
      Task { for number in 0..<count / 6 { await self.one("\(lane)-\(number)", client, monitor, folder) } }
    }
    for lane in lanes { await lane.value }
  }

  private func one(_ name: String, _ client: NetworkClient, _ monitor: PathMonitor, _ folder: URL) async {
    let (kind, function) = (Kind.allCases.randomElement() ?? .fine, Function.allCases.randomElement() ?? .send)
    let path = "/\(kind)/\(name)"
    let request = Request(.get, "/\(kind.rawValue)/\(name)", cache: .timeToLive(.seconds(60)))
    let task = Task { try await run(function, request, client, folder) }
    if Int.random(in: 0..<10) == 0 {
      for _ in 0..<Int.random(in: 0..<200) { await Task.yield() }
      task.cancel()
    }
    let result = await task.result
    if case .failure(let error as NetworkError) = result, error.code == .cancelled { return }
    expectEqual(monitor.inFlightCount(path), 0, "\(function) \(path) \(result)")
    guard case .success = result, kind == .fine, function != .download else { return }
    let stored = Request(.get, "/\(kind.rawValue)/\(name)", cache: .onlyIfCached)
    let second = try? await client.send(stored)
    expect(second?.source.isCached == true, "\(function) \(path) not stored")
  }
}
#endif
