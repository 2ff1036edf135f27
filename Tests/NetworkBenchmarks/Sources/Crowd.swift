import Dispatch
import Heliograph
import Signals
import Synchronization

/// Looks every millisecond how many descriptors are open.
private final class DescriptorWatch: Sendable {
  private let most = Mutex(0)
  // Dispatch's objects may be used from any thread; their protocol does not say so on every platform.
  private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "descriptors"))

  func start() {
    timer.setEventHandler { [self] in look() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    timer.activate()
  }

  func stop() -> Int {
    timer.cancel()
    return most.withLock { $0 }
  }

  private func look() {
    let count = Gauge.descriptorCount
    most.withLock { $0 = max($0, count) }
  }
}

/// Starts ten thousand requests at once, with the default settings, and waits for all of them.
private func measureCrowd(_ client: Client, _ address: String) async throws -> Sample {
  let count = 10_000
  Gauge.raiseDescriptorLimit()
  let exchange = try client.exchange(address, isDecoded: false)
  await wait(for: exchange)
  let watch = DescriptorWatch()
  watch.start()
  let group = DispatchGroup()
  let start = Gauge.nanoseconds
  for _ in 0..<count {
    group.enter()
    exchange { group.leave() }
  }
  await withCheckedContinuation { continuation in
    group.notify(queue: .global()) { continuation.resume() }
  }
  let duration = Double(Gauge.nanoseconds - start) / 1e6
  return [.duration: duration, .descriptorCount: Double(watch.stop()), .peak: Gauge.peak]
}

extension Group {
  static func crowds(_ site: Site) -> Group {
    let clients: [Client] = [.urlSession, .sessionTransport, .curlTransport]
    return Group(
      title: "10,000 requests at once", figures: [.duration, .descriptorCount, .peak], rate: .duration, roundCount: 5,
      variants: clients.map { client in
        Variant(
          id: "crowd/\(client.rawValue)", title: client.title, rival: "crowd/urlsession", isOurs: client.isOurs,
          work: .swift { site, _ in try await measureCrowd(client, site.small) })
      })
  }
}
