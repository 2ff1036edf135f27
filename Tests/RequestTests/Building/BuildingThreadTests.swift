import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The threads of the closures that build a request: that of the subscriber for the first attempt only.
struct BuildingThreadTests {
  /// Records the name of a stage and whether it runs on the subscriber's thread.
  private final class Recorder: Sendable {
    private let subscriber = Guarded<ObjectIdentifier?>(nil)
    let log = Log<String>()

    func markSubscriber() { subscriber.withLock { $0 = ObjectIdentifier(Thread.current) } }

    func record(_ stage: String) {
      let isSubscriber = subscriber.withLock { $0 } == ObjectIdentifier(Thread.current)
      log.add("\(stage) \(isSubscriber ? "here" : "elsewhere")")
    }
  }

  private struct Stage: RequestFilter, Signer {
    let name: String
    let recorder: Recorder

    func filter(_ draft: inout RequestDraft) throws(NetworkError) { recorder.record(name) }
    func sign(_ draft: inout RequestDraft) throws(NetworkError) { recorder.record(name) }
  }

  private struct Watched: Service {
    let recorder: Recorder
    let id: ServiceID = "watched"
    var signer: (any Signer)? { Stage(name: "signer", recorder: recorder) }
    var headers: HTTPHeaders {
      recorder.record("service")
      return [:]
    }

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://a.example").map { ServiceAddresses($0) }
    }
  }

  @Test func theFirstAttemptIsBuiltByTheSubscriberAndARetryElsewhere() async throws {
    let recorder = Recorder()
    let stub = StubTransport()
    stub.on(.get, "/a", .status(503), .json("1"))
    var configuration = NetworkClient.Configuration(
      retry: Retry(limit: 1, backoff: .constant(.milliseconds(1))), services: [Watched(recorder: recorder)],
      transport: stub)
    configuration.filters = [Stage(name: "filter", recorder: recorder)]
    configuration.middleware = [
      .bearer {
        recorder.record("token")
        return "t"
      }
    ]
    configuration.makeURL = { path, base throws(NetworkError) in
      recorder.record("URL")
      guard let base else { throw NetworkError(.invalidURL) }
      return base.appendingPathComponent(path)
    }
    let client = NetworkClient(configuration)
    // The subscriber's thread is alive until the end, so that no other thread is taken for it.
    let values = await onThread {
      recorder.markSubscriber()
      let signal = client.enqueue(request: Request(.get, "/a", service: "watched"), resultType: Int.self)
      let result = SignalRecorder(signal)
      spin { result.hasEnded }
      return result.values.map(\.value)
    }
    expectEqual(values, [1])
    let stages = ["URL", "service", "filter", "signer", "token"]
    expectEqual(recorder.log.entries, stages.map { "\($0) here" } + stages.map { "\($0) elsewhere" })
  }
}
