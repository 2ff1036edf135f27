import Foundation
import Heliograph
import Signals
import Synchronization

/// Takes one megabyte a second, whatever the size of the pieces.
private struct Pace: Sendable {
  private static let bytesPerSecond = 1_000_000.0

  let length: Int
  private let start = Gauge.nanoseconds
  private var byteCount = 0

  init(milliseconds: Int) {
    length = milliseconds * 1_000_000
  }

  /// Nanoseconds until the consumer would be done with these bytes and all before them.
  mutating func take(_ count: Int) -> Int {
    byteCount += count
    let due = start + Int(Double(byteCount) / Pace.bytesPerSecond * 1e9)
    return min(max(0, due - Gauge.nanoseconds), max(0, start + length - Gauge.nanoseconds))
  }

  var isTerminated: Bool { Gauge.nanoseconds - start >= length }
}

/// Consumes slowly on a queue of its own, behind `observe(on:)`.
private func consumeOnQueue(_ events: Signal<TransportEvent, NetworkError>, _ pace: Pace) async {
  let pace = Mutex(pace)
  let isFinished = Mutex(false)
  let handle = Mutex<Disposable?>(nil)
  await withCheckedContinuation { continuation in
    let finish: @Sendable () -> Void = {
      let isFirst = isFinished.withLock { wasFinished in
        defer { wasFinished = true }
        return !wasFinished
      }
      if isFirst { continuation.resume() }
    }
    let subscription = events.observe(on: .serial("slow consumer")).subscribe(
      onValue: { event in
        guard case .body(let piece) = event else { return }
        let nanoseconds = pace.withLock { $0.take(piece.count) }
        // sleeps: that the consumer takes its time is what is measured.
        Thread.sleep(forTimeInterval: Double(nanoseconds) / 1e9)
        if pace.withLock({ $0.isTerminated }) { finish() }
      }, onFailure: { fail("\($0)") }, onCompletion: finish)
    handle.withLock { $0 = subscription }
  }
  handle.withLock { $0 }?.dispose()
}

/// Consumes slowly in a task, by `for try await`.
private func consumeInTask(_ events: Signal<TransportEvent, NetworkError>, _ pace: Pace) async throws {
  var pace = pace
  for try await event in events.values {
    guard case .body(let piece) = event else { continue }
    // sleeps: that the consumer takes its time is what is measured.
    try await Task.sleep(for: .nanoseconds(pace.take(piece.count)))
    if pace.isTerminated { break }
  }
}

private func measureSlowConsumer(_ site: Site, _ scale: Scale, _ client: Client, inTask: Bool) async throws -> Sample {
  let transport = try client.transport()
  await wait(for: transport.exchange(HTTPRequest(url: URL(address: site.small))))
  Gauge.trim()
  Gauge.resetPeak()
  let resident = Gauge.resident
  let events = transport.send(HTTPRequest(url: URL(address: site.large)))
  let pace = Pace(milliseconds: scale.consuming)
  if inTask { try await consumeInTask(events, pace) } else { await consumeOnQueue(events, pace) }
  let peak = Gauge.peak
  return [.growth: peak - resident, .peak: peak]
}

extension Group {
  static func slowConsumers(_ site: Site) -> Group {
    func variant(_ client: Client, _ title: String, inTask: Bool) -> Variant {
      Variant(
        id: "slow/\(client.rawValue)\(inTask ? "-values" : "-observe")", title: title,
        work: .swift { try await measureSlowConsumer($0, $1, client, inTask: inTask) })
    }
    return Group(
      title: "a consumer of 1 MB/s in a body of 200 MB", figures: [.growth, .peak], roundCount: 3,
      variants: [
        variant(.sessionTransport, "URLSessionTransport, observe(on: serial)", inTask: false),
        variant(.curlTransport, "CurlTransport, observe(on: serial)", inTask: false),
        variant(.curlTransport, "CurlTransport, for try await in values", inTask: true),
      ])
  }
}
