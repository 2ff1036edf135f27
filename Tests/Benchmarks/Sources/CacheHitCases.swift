import Foundation
import Heliograph
import Signals

/// Nanoseconds of the nine-closure floor when the targets below were set, which are in microseconds.
private let floorNanoseconds = 12.3

private struct Article: Codable, Sendable {
  let id: Int
  let title: String
  let tags: [String]
  let text: String
}

private let article = Article(id: 7, title: "Floor lamp", tags: ["lamp"], text: String(repeating: "light ", count: 155))
/// A body of about 1 KB.
private let kilobyte = (try? JSONEncoder().encode(article)) ?? Data()

extension Case {
  /// Hits of 1 KB as a caller has them, one after the other: from the request to its delivery.
  ///
  /// By default, `enqueue` reads a response on the system's queue; the lines with such a turn only inform, because it costs
  /// what the machine leaves for it, and their time is the processor time of all threads.
  static func cacheHits() -> [Case] {
    [
      hit("cache, a memory hit of 1 KB, exchange", microseconds: 6, allocations: 29, Stored()) {
        $0.exchange(request: $1)
      },
      hit("cache, a memory hit of 1 KB, enqueue, immediate", microseconds: 6, allocations: 32, Stored(.immediate)) {
        $0.enqueue(request: $1)
      },
      hit(
        "cache, a disk hit of 1 KB, enqueue, immediate", microseconds: 15, allocations: 52,
        Stored(.immediate, onDisk: true)
      ) { $0.enqueue(request: $1) },
      hit("cache, a memory hit of 1 KB, enqueue", Stored()) { $0.enqueue(request: $1) },
      hit("cache, a memory hit of 1 KB, enqueue, decoded", Stored()) {
        $0.enqueue(request: $1, resultType: Article.self)
      },
      hit("cache, a disk hit of 1 KB, exchange", Stored(onDisk: true)) { $0.exchange(request: $1) },
      hit("cache, a disk hit of 1 KB, enqueue", Stored(onDisk: true)) { $0.enqueue(request: $1) },
      awaited("cache, a memory hit of 1 KB, await send", Stored()),
      awaited("cache, a disk hit of 1 KB, await send", Stored(onDisk: true)),
    ] + comparisons()
  }

  private static func hit<Value: Sendable>(
    _ name: String, microseconds: Double? = nil, allocations: Double? = nil, _ stored: Stored,
    _ send: @escaping (NetworkClient, Request) -> Signal<Response<Value>, NetworkError>
  ) -> Case {
    let count = 100
    return Case(
      name: name, target: microseconds.map { $0 * 1_000 / floorNanoseconds }, allocationTarget: allocations,
      clock: microseconds == nil ? .process : .thread, operations: count,
      prepare: {
        let client = stored.client
        stored.fill()
        let tally = Tally()
        let delivered = DispatchSemaphore(value: 0)
        return {
          for _ in 0..<count {
            send(client, Request(.get, "/articles/7")).subscribe(
              onValue: {
                if case .cache = $0.source { tally.add() }
                delivered.signal()
              }, onFailure: { _ in delivered.signal() })
            delivered.wait()
          }
          return tally.take()
        }
      })
  }

  /// Hits of an async function, one after the other, in a task that no actor runs.
  private static func awaited(_ name: String, _ stored: Stored) -> Case {
    let count = 100
    return Case(
      name: name, clock: .process, operations: count,
      prepare: {
        let client = stored.client
        stored.fill()
        let tally = Tally()
        let done = DispatchSemaphore(value: 0)
        return {
          Task.detached {
            for _ in 0..<count {
              let response = try? await client.send(Request(.get, "/articles/7"), as: Data.self)
              if case .cache? = response?.source { tally.add() }
            }
            done.signal()
          }
          done.wait()
          return tally.take()
        }
      })
  }

  /// What a hit cannot be faster than, for information.
  private static func comparisons() -> [Case] {
    let count = 100
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
    return [
      Case(
        name: "a dictionary with a copy of 1 KB", operations: count,
        prepare: {
          let values = ["/articles/7": kilobyte]
          let tally = Tally()
          return {
            for _ in 0..<count {
              if let value = values["/articles/7"] { blackHole(Data(Array(value))) }
              tally.add()
            }
            return tally.take()
          }
        }),
      Case(
        name: "open, read and close of a file of 1 KB", operations: count,
        prepare: {
          try? kilobyte.write(to: file)
          let tally = Tally()
          return {
            withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 8) { buffer in
              for _ in 0..<count {
                let descriptor = open(file.path, O_RDONLY)
                if read(descriptor, buffer.baseAddress, 2_048) > 0 { tally.add() }
                close(descriptor)
              }
            }
            return tally.take()
          }
        }),
      Case(
        name: "a turn to the system's queue and back", clock: .process, operations: count,
        prepare: {
          let tally = Tally()
          let done = DispatchSemaphore(value: 0)
          return {
            for _ in 0..<count {
              DispatchQueue.global().async { done.signal() }
              done.wait()
              tally.add()
            }
            return tally.take()
          }
        }),
    ]
  }

  /// A client whose cache has one response.
  private final class Stored {
    lazy var client = makeClient()
    private let processing: DispatchScheduler?
    private let isOnDisk: Bool

    init(_ processing: DispatchScheduler? = nil, onDisk: Bool = false) {
      self.processing = processing
      isOnDisk = onDisk
    }

    private func makeClient() -> NetworkClient {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
      // A memory of no bytes keeps nothing, so that each hit reads the file, which is in the page cache.
      let cache =
        isOnDisk ? (try? ResponseCache(folder: folder, reservedByteCount: 0, memoryByteCount: 0)) : ResponseCache()
      return NetworkClient(baseURL: URL(string: "https://api.example.com")) {
        $0.transport = InstantTransport(body: kilobyte)
        if let processing { $0.processing = processing }
        if let cache { $0.cache = cache }
        $0.cachePolicy = .timeToLive(.seconds(1_000_000))
      }
    }

    func fill() {
      let stored = DispatchSemaphore(value: 0)
      client.enqueue(request: Request(.get, "/articles/7")).subscribe(
        onValue: { _ in }, onFailure: { _ in stored.signal() }, onCompletion: { stored.signal() })
      stored.wait()
    }
  }
}
