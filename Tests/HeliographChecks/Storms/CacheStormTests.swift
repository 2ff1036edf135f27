import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Threads that read and change a few resources through one cache.
///
/// No response is that of another URL, of another language or older than a change that had ended before its request. For
/// each of eight threads 500 rounds, 2,000 in `.ci/run` and 50,000 in `make check`.
final class CacheStormTests: Sendable {
  enum Kind: CaseIterable { case memory, memoryThatEvicts, disk, diskOnly, largeOnDisk, variants }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func cache(_ kind: Kind) throws -> ResponseCache {
    switch kind {
    case .memory, .variants: ResponseCache()
    case .memoryThatEvicts: ResponseCache(memoryByteCount: 8_000)
    case .disk: try ResponseCache(folder: folder)
    case .diskOnly, .largeOnDisk: try ResponseCache(folder: folder, memoryByteCount: 0)
    }
  }

  @Test(arguments: Kind.allCases) func noResponseIsOlderThanAChange(_ kind: Kind) async throws {
    let server = VersionedServer(size: kind == .largeOnDisk ? 300_000 : 0, varies: kind == .variants)
    let transport = CachingTransport(server, cache: try cache(kind), scheduler: .immediate)
    let urls = try (0..<8).map { try require(URL(string: "https://a.example/\($0)")) }
    let rounds = (Scale.isFull ? 50_000 : Scale.isMedium ? 2_000 : 500) / (kind == .largeOnDisk ? 10 : 1)
    let wrong = Guarded<[String]>([])
    let hits = Guarded(0)
    await together(8) { thread in
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<rounds {
        let url = urls[Int.random(in: 0..<urls.count, using: &generator)]
        var request = HTTPRequest(url: url)
        if Int.random(in: 0..<10, using: &generator) == 0 {
          request.method = .post
          _ = SignalRecorder(transport.send(request))
          server.noteChange(of: url)
          continue
        }
        let language = thread % 2 == 0 ? "de" : "en"
        request.headers["Accept-Language"] = language
        request.cachePolicy = Bool.random(using: &generator) ? .http : .timeToLive(.seconds(60))
        let least = server.leastVersion(of: url)
        let recorder = SignalRecorder(transport.send(request))
        var (text, isHit) = (Data(), false)
        for event in recorder.values {
          switch event {
          case .body(let piece): text.append(piece)
          case .source(let source): isHit = source.isCached
          default: break
          }
        }
        let parts = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self).split(separator: " ")
        let isWhole = recorder.isCompleted && text.count == server.byteCount(of: parts.joined(separator: " "))
        let isRight =
          parts.count == 3 && parts[0] == url.path && Int(parts[1]) ?? -1 >= least
          && (kind != .variants || parts[2] == language)
        if !isWhole || !isRight { wrong.withLock { $0.append("\(url.path), \(least), \(language): \(parts)") } }
        if isHit { hits.withLock { $0 += 1 } }
      }
    }
    expectEqual(wrong.withLock { Array($0.prefix(5)) }, [])
    expect(hits.withLock { $0 } > 0)
  }
}

/// A server whose responses have the URL, its version and the language.
private final class VersionedServer: Transport {
  private let versions = Guarded<[String: Int]>([:])
  /// The versions at the end of the last change.
  private let changed = Guarded<[String: Int]>([:])
  private let size: Int
  private let varies: Bool

  init(size: Int, varies: Bool) { (self.size, self.varies) = (size, varies) }

  func leastVersion(of url: URL) -> Int { changed.withLock { $0[url.path] ?? 0 } }

  /// Records that a change has ended: the versions until now may not be delivered to later requests.
  func noteChange(of url: URL) {
    let own = Self.lastChange.value
    changed.withLock { $0[url.path] = max($0[url.path] ?? 0, own ?? 0) }
  }

  func byteCount(of text: String) -> Int { max(text.utf8.count, size) }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { [self] observer in
      let path = request.url.path
      if request.method == .post {
        let version = versions.withLock { versions in
          versions[path, default: 0] += 1
          return versions[path]
        }
        Self.lastChange.value = version
        observer.send(.head(HTTPResponse(statusCode: 204, url: request.url)))
        observer.complete()
        return nil
      }
      let version = versions.withLock { $0[path] ?? 0 }
      var text = Data("\(path) \(version) \(request.headers["Accept-Language"] ?? "")".utf8)
      var headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
      if varies { headers["Vary"] = "Accept-Language" }
      // Others may change it meanwhile.
      sched_yield()  // blocks: for a moment, on a thread of its own
      observer.send(.head(HTTPResponse(statusCode: 200, headers: headers, url: request.url)))
      text.append(Data(count: max(0, size - text.count)))
      observer.send(.body(text))
      observer.complete()
      return nil
    }
  }

  /// The version that the thread has made last.
  private static let lastChange = ThreadValue()
}

/// A value of each thread.
private struct ThreadValue: Sendable {
  private static let key = "heliograph.last-change"

  var value: Int? {
    get { Thread.current.threadDictionary[Self.key] as? Int }
    nonmutating set { Thread.current.threadDictionary[Self.key] = newValue }
  }
}
