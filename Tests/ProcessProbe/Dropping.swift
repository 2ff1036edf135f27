import Foundation
import Heliograph
import Signals

/// Makes clients one after another, with few descriptors, and looks at what is left of them.
///
/// Arguments: address, file of authorities, number of clients, number of descriptors.
struct Dropping {
  private let url: URL
  private let settings: TransportSettings
  private let count: Int
  private let limit: Int

  init(_ arguments: [String]) throws {
    url = try arguments.url(0)
    var settings = TransportSettings()
    settings.proxy = .direct
    settings.trust.authorities = URL(fileURLWithPath: try arguments.text(1))
    self.settings = settings
    count = try arguments.number(2)
    limit = try arguments.number(3)
  }

  func run() async throws {
    var limits = rlimit()
    limits.rlim_cur = rlim_t(limit)
    limits.rlim_max = rlim_t(limit)
    #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    #else
    setrlimit(RLIMIT_NOFILE, &limits)
    #endif
    // The first makes what stays for all: pools of threads, descriptors of the runtime's.
    try await use()
    try await wait { _ in true }
    let before = try Usage()
    var handles: [Disposable] = []
    for _ in 0..<count { handles.append(try await use()) }
    // Held subscriptions must not hold connections.
    try await wait { $0.threads <= before.threads && $0.descriptors <= before.descriptors }
    withExtendedLifetime(handles) {}
  }

  @discardableResult
  private func use() async throws -> Disposable {
    let client = NetworkClient(.init(transport: try CurlTransport(settings)))
    return try await withCheckedThrowingContinuation { continuation in
      let held = Guarded<Disposable?>(nil)
      let handle = client.exchange(request: url).subscribe { event in
        switch event {
        case .value: break
        case .failed(let error): continuation.resume(throwing: error)
        case .completed:
          DispatchQueue.global().async { continuation.resume(returning: held.withLock { $0 } ?? Disposable {}) }
        }
      }
      held.withLock { $0 = handle }
    }
  }

  /// Looks for a second, again and again, until it is as it should be.
  private func wait(_ isRight: (Usage) -> Bool) async throws {
    let start = ContinuousClock.now
    while true {
      // sleeps: nothing tells of the end of a thread.
      try await Task.sleep(for: .milliseconds(50))
      let now = try Usage()
      let isLate = ContinuousClock.now - start >= .seconds(1)
      if isRight(now), isLate { return }
      if isLate, ContinuousClock.now - start >= .seconds(5) { throw Failure("left: \(now)") }
    }
  }
}
