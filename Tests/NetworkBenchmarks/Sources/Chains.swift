import Dispatch
import Foundation

/// A request after another: each starts from the completion of the one before it.
private final class Chain: Sendable {
  private let exchange: Exchange
  private let end: Int
  private let group: DispatchGroup
  // A chain has one request in flight at a time, so one thread at a time is here; the group orders the last look.
  private(set) nonisolated(unsafe) var latencies = Histogram()

  init(_ exchange: @escaping Exchange, end: Int, _ group: DispatchGroup) {
    self.exchange = exchange
    self.end = end
    self.group = group
  }

  func start(at time: Int) {
    exchange { [self] in
      let now = Gauge.nanoseconds
      latencies.add(now - time)
      if now < end { start(at: now) } else { group.leave() }
    }
  }
}

/// Keeps a number of small requests in flight, first to warm up and then measured.
///
/// - Parameters:
///   - width: how many are in flight.
///   - scale: for how long.
///   - exchange: the request.
/// - Returns: the rate, the latencies and what it cost.
func measureChains(_ width: Int, _ scale: Scale, _ exchange: @escaping Exchange) async -> Sample {
  _ = await runChains(width, milliseconds: scale.warmup, exchange)
  let (start, cpu) = (Gauge.nanoseconds, Gauge.cpuNanoseconds)
  let latencies = await runChains(width, milliseconds: scale.measured, exchange)
  let (seconds, used) = (Double(Gauge.nanoseconds - start) / 1e9, Double(Gauge.cpuNanoseconds - cpu))
  return [
    .requestsPerSecond: Double(latencies.count) / seconds,
    .cpuPerRequest: used / 1e3 / Double(latencies.count),
    .p50: latencies.percentile(0.5), .p99: latencies.percentile(0.99), .peak: Gauge.peak,
  ]
}

private func runChains(_ width: Int, milliseconds: Int, _ exchange: @escaping Exchange) async -> Histogram {
  let group = DispatchGroup()
  let start = Gauge.nanoseconds
  let chains = (0..<width).map { _ in Chain(exchange, end: start + milliseconds * 1_000_000, group) }
  for chain in chains {
    group.enter()
    chain.start(at: Gauge.nanoseconds)
  }
  await withCheckedContinuation { continuation in
    group.notify(queue: .global()) { continuation.resume() }
  }
  return chains.reduce(into: Histogram()) { $0.add($1.latencies) }
}

extension Group {
  private static let getFigures: [Figure] = [.requestsPerSecond, .cpuPerRequest, .p50, .p99, .peak]

  /// Small GETs over plain HTTP, at three widths.
  static func gets(_ site: Site) -> [Group] {
    [1, 16, 64].map { width in
      let name = "get-\(width)"
      let clients: [Client] = [.urlSession, .sessionTransport, .curlTransport]
      return Group(
        title: "small GET, \(width) in flight", figures: getFigures, rate: .requestsPerSecond, cost: .cpuPerRequest,
        roundCount: 5,
        variants: [baseline(name, width) { _ in [site.small] }]
          + clients.map { get(name, width, $0, site.small) }
          + clients.map { get(name, width, $0, site.small, isDecoded: true) })
    }
  }

  /// Small GETs over TLS, 16 in flight, with either version of HTTP.
  static func secureGets(_ site: Site) -> [Group] {
    let servers = [("https-1", "HTTP/1.1", site.tls), ("https-2", "HTTP/2", site.http2)]
    return servers.compactMap { name, version, address -> Group? in
      guard let small = address.map({ $0 + "/small" }) else { return nil }
      return Group(
        title: "small GET over TLS, \(version), 16 in flight", figures: getFigures, rate: .requestsPerSecond,
        cost: .cpuPerRequest, roundCount: 3,
        variants: [
          baseline(name, 16) { _ in [small, site.authorities.path] },
          get(name, 16, .urlSession, small, authorities: site.authorities),
          get(name, 16, .curlTransport, small, authorities: site.authorities),
        ])
    }
  }

  private static func baseline(
    _ group: String, _ width: Int, _ place: @escaping @Sendable (Site) -> [String]
  ) -> Variant {
    Variant(
      id: "\(group)/c", title: "C over libcurl multi", isOurs: false,
      work: .baseline { site, scale in
        let (address, rest) = (place(site)[0], place(site).dropFirst())
        return ["get", address, "\(width)", "\(scale.warmup)", "\(scale.measured)"] + rest
      })
  }

  private static func get(
    _ group: String, _ width: Int, _ client: Client, _ address: String, isDecoded: Bool = false,
    authorities: URL? = nil
  ) -> Variant {
    let suffix = isDecoded ? "-decoded" : ""
    return Variant(
      id: "\(group)/\(client.rawValue)\(suffix)", title: client.title + (isDecoded ? ", decoded" : ""),
      floor: "\(group)/c", rival: "\(group)/urlsession\(suffix)", isOurs: client.isOurs,
      needsSystemTrust: authorities != nil && client == .urlSession,
      work: .swift { _, scale in
        await measureChains(
          width, scale, try client.exchange(address, isDecoded: isDecoded, authorities: authorities))
      })
  }
}
