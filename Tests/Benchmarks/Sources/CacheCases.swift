import Foundation
import Heliograph
import Signals

private struct Product: Codable, Sendable {
  let id: Int
  let name: String
  let price: Double
  let tags: [String]
}

private let products = (0..<50).map { Product(id: $0, name: "Floor lamp \($0)", price: 9.95, tags: ["lamp", "café"]) }
private let list = (try? JSONEncoder().encode(products)) ?? Data()
private let tenKilobytes = Data(repeating: 7, count: 10_000)

extension Case {
  /// Responses from the cache: in memory with decoding, and from disk among many others.
  static func caches(_ options: Options) -> [Case] {
    let count = options.isBrief ? 5_000 : 100_000
    return [memoryHit(), diskHit(count), growth("a hit", count), growth("an eviction", count, evicts: true)]
  }

  private static func client(_ cache: ResponseCache, _ body: Data) -> NetworkClient {
    NetworkClient(baseURL: URL(string: "https://api.example.com")) {
      $0.transport = InstantTransport(body: body)
      $0.cache = cache
      $0.processing = .immediate
      $0.cachePolicy = .timeToLive(.seconds(1_000_000))
    }
  }

  /// A hit through the whole `enqueue`, beside a plain decode of the same bytes.
  private static func memoryHit() -> Case {
    let count = 20
    let client = client(ResponseCache(), list)
    let signal = client.enqueue(request: Request(.get, "/products"), resultType: [Product].self)
    signal.subscribe(onValue: { _ in }, onFailure: { _ in })
    return Case(
      name: "cache, a memory hit of 50 decoded products, x a plain decode", target: 1.3, operations: count,
      baseline: {
        for _ in 0..<count { if let all = try? JSONDecoder().decode([Product].self, from: list) { blackHole(all) } }
      },
      prepare: {
        let tally = Tally()
        return {
          for _ in 0..<count {
            signal.subscribe(
              onValue: { if case .cache = $0.source { tally.add() } }, onFailure: { _ in })
          }
          return tally.take()
        }
      })
  }

  /// A hit on disk of 10 KB among many entries, beside reading a file of that size with Foundation.
  private static func diskHit(_ entries: Int) -> Case {
    let count = 100
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
    let file = folder.appendingPathExtension("plain")
    return Case(
      name: "cache, a disk hit of 10 KB among \(entries), x reading a file", target: nil, clock: .wall,
      operations: count,
      baseline: { for _ in 0..<count { if let data = try? Data(contentsOf: file) { blackHole(data) } } },
      prepare: {
        try? tenKilobytes.write(to: file)
        guard
          let cache = try? ResponseCache(
            folder: folder, diskByteCount: .max / 4, reservedByteCount: 0, memoryByteCount: 0)
        else { return { 0 } }
        let client = client(cache, tenKilobytes)
        func send(_ number: Int, _ tally: Tally?) {
          client.enqueue(request: Request(.get, "/products/\(number)"), resultType: Data.self).subscribe(
            onValue: { if case .cache = $0.source { tally?.add() } }, onFailure: { _ in })
        }
        for number in 0..<entries { send(number, nil) }
        let tally = Tally()
        return {
          for _ in 0..<count { send(.random(in: 0..<entries), tally) }
          return tally.take()
        }
      })
  }

  /// A hit, or a response that is stored in place of another one, among many entries in memory, beside a thousand.
  private static func growth(_ name: String, _ entries: Int, evicts: Bool = false) -> Case {
    let count = 200
    let caches = Caches(entries)
    func work(_ filled: Filled, _ tally: Tally?) {
      for _ in 0..<count { filled.send(evicts ? filled.next() : .random(in: 0..<filled.count), tally) }
    }
    return Case(
      name: "cache, \(name) among \(entries) in memory, x among 1000", target: 1.5, operations: count,
      baseline: { work(caches.small, nil) },
      prepare: {
        let tally = Tally()
        return {
          work(caches.large, tally)
          return tally.take()
        }
      })
  }

  /// The two caches of a line, which are filled when it is measured.
  private final class Caches {
    let count: Int
    lazy var small = Filled(1_000)
    lazy var large = Filled(count)

    init(_ count: Int) { self.count = count }
  }

  /// A client whose cache in memory is full.
  private final class Filled {
    let count: Int
    private let client: NetworkClient
    private var last: Int

    init(_ count: Int) {
      self.count = count
      // An entry is counted with 512 bytes more than its body.
      client = Case.client(ResponseCache(memoryByteCount: count * 522), Data(count: 10))
      last = count - 1
      for number in 0..<count { send(number, nil) }
    }

    func next() -> Int {
      last += 1
      return last
    }

    func send(_ number: Int, _ tally: Tally?) {
      client.exchange(request: Request(.get, "/products/\(number)")).subscribe(
        onValue: { _ in tally?.add() }, onFailure: { _ in })
    }
  }
}
