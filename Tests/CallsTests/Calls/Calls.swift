@preconcurrency import Dispatch
import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals

/// An API as an object, with everything that it may override.
final class LeaveCall: Call<Leave> {
  let days: Int
  let log: MomentLog
  private let leaveOptions: RequestOptions

  nonisolated init(
    days: Int, client: NetworkClient, log: MomentLog = MomentLog(), options: RequestOptions = RequestOptions(),
    lane: Lane? = nil
  ) {
    self.days = days
    self.log = log
    leaveOptions = options
    super.init(client: client, lane: lane)
  }

  override var path: RequestPath { "/leaves" }
  override var method: HTTPMethod { .post }
  override var query: Parameters { ["trace": "1"] }
  override var parameters: Parameters { ["days": days] }
  override var headers: HTTPHeaders { ["X-Kind": "leave"] }
  override var options: RequestOptions { leaveOptions }

  override func willSucceed(with response: Response<Leave>) { log.add("willSucceed \(response.value.days)") }
  override func willFail(with error: NetworkError) { log.add("willFail \(error.code)") }
  override func didUpdate() { log.add("didUpdate") }
  override func didSucceed() { log.add("didSucceed") }
  override func didFail() { log.add("didFail") }
}

/// A leave of some days; its type says what its JSON looks like.
struct Leave: Codable, Sendable, Equatable, JSONShaped {
  static let jsonShape: JSONShape = ["days": .number]
  let days: Int
}

/// What happened in order, each with whether it was on the main thread.
final class MomentLog: Accessory, StartableDelegate {
  private let state = Guarded<[(text: String, isMain: Bool)]>([])

  // The main queue is drained by any thread in a test.
  private nonisolated static let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  nonisolated init() {}

  nonisolated var texts: [String] { state.withLock { $0.map(\.text) } }
  nonisolated var mainTexts: [String] { state.withLock { $0.filter(\.isMain).map(\.text) } }

  nonisolated func add(_ text: String) {
    let isMain = DispatchQueue.getSpecific(key: Self.mainKey) != nil
    state.withLock { $0.append((text, isMain)) }
  }

  nonisolated func willStart(_ work: any Startable) { add("willStart") }
  nonisolated func willStop(_ work: any Startable) { add("willStop") }
  nonisolated func didStop(_ work: any Startable) { add("didStop") }

  func didUpdate(_ work: any Startable) { add("delegate update") }
  func didSucceed(_ work: any Startable) { add("delegate success") }
  func didFail(_ work: any Startable) { add("delegate failure") }
}

extension Startable {
  /// Starts the work with closures that log, and waits for its end.
  nonisolated func run(_ log: MomentLog) async {
    await withCheckedContinuation { continuation in
      let end = StopWatcher { continuation.resume() }
      accessories.append(end)
      let isStarted = start(
        onSuccess: { _ in log.add("success") }, onFailure: { _ in log.add("failure") },
        onUpdate: { _ in log.add("update") })
      if !isStarted { continuation.resume() }
    }
    accessories.removeLast()
  }
}

/// An accessory that runs a closure after each end.
struct StopWatcher: Accessory {
  let stopped: @Sendable () -> Void

  init(_ stopped: @escaping @Sendable () -> Void) { self.stopped = stopped }

  func didStop(_ work: any Startable) { stopped() }
}
