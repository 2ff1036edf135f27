import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Synchronization
import TestSupport
import Testing

/// Nothing of one identity is sent or delivered to another, with requests, retries and refreshes in flight at each step.
///
/// The steps are log-in, sign-in, sign-out and sign-in as another. `HELIOGRAPH_SCALE=100` makes it a thousand rounds.
@Suite(.serialized) struct IdentityStormTests {
  private static let roundCount =
    Scale.isFull ? 1_000 : 8

  private typealias Recorder = SignalRecorder<Response<IdentityApp.Answer>, NetworkError>

  /// What is in flight when a period ends.
  private struct Load {
    /// Nothing of these can have come to an answer before.
    var parked: [Recorder] = []
    var racing: [Recorder] = []
    var all: [Recorder] { parked + racing }
  }

  @Test("P9", arguments: TransportKind.present) func nothingCrossesFromOneIdentityToAnother(
    _ kind: TransportKind
  ) async throws {
    let app = try IdentityApp(kind)
    for round in 0..<Self.roundCount {
      app.answersRefreshes.value = !round.isMultiple(of: 2)
      let (nobody, ann, ben) = ("nobody-\(round)", "ann-\(round)", "ben-\(round)")
      app.enter(nobody, account: nil)
      var load = try await begin(in: app)
      try await expectEqual(logIn(app).session, "none")
      await leave(load, app, for: ann, account: ann, sessions: ["none", nobody])
      // The session of the log-in has become ann's.
      try await expectEqual(own(app).session, nobody)
      load = try await begin(in: app)
      await leave(load, app, for: nobody + "x", account: nil, sessions: [nobody])
      try await expectEqual(own(app).session, "none")
      load = try await begin(in: app)
      await leave(load, app, for: ben, account: ben, sessions: ["none"])
      try await expectEqual(logIn(app).session, "none")
      load = try await begin(in: app)
      await leave(load, app, for: ann + "x", account: ann + "x", sessions: ["none", ben])
      // From one account to another without a sign-out.
      try await expectEqual(own(app).session, "none")
      load = try await begin(in: app)
      await leave(load, app, for: "end-\(round)", account: nil, sessions: ["none"])
    }
  }

  private func request(_ path: String, _ app: IdentityApp, _ method: HTTPMethod = .get) -> Request {
    let owner = app.period.value
    return Request(method, "\(raw: path)/\(owner)", headers: ["X-Owner": owner])
  }

  private func record(_ path: String, _ app: IdentityApp, over client: NetworkClient? = nil) -> Recorder {
    SignalRecorder((client ?? app.client).enqueue(request: request(path, app), resultType: IdentityApp.Answer.self))
  }

  private func own(_ app: IdentityApp) async throws -> IdentityApp.Answer {
    try await app.client.enqueue(request: request("/own", app), resultType: IdentityApp.Answer.self).value().value
  }

  private func logIn(_ app: IdentityApp) async throws -> IdentityApp.Answer {
    let owner = app.period.value
    let request = Request(.post, "/login", headers: ["X-Owner": owner])
    return try await app.client.enqueue(request: request, resultType: IdentityApp.Answer.self).value().value
  }

  /// Begins requests of all kinds, and waits until those that are to wait do.
  private func begin(in app: IdentityApp) async throws -> Load {
    var load = Load()
    let (owner, areRefreshed) = (app.period.value, app.answersRefreshes.value)
    load.parked = ["/held", "/held", "/parked"].map { record($0, app) }
    // One is held by the server, and the others wait for it.
    load.parked += ["/held/narrow", "/queued", "/queued"].map { record($0, app, over: app.narrow) }
    let expired = [record("/expired", app), record("/expired", app)]
    if areRefreshed { load.racing += expired } else { load.parked += expired }
    load.racing += ["/late", "/late", "/flaky", "/flaky", "/hop", "/quick", "/quick"].map { record($0, app) }
    let isInFlight = await app.server.wait { log in
      let counts = Dictionary(log.requests.lazy.filter { $0.owner == owner }.map { ($0.path, 1) }, uniquingKeysWith: +)
      return counts["/held/\(owner)"] == 2 && counts["/held/narrow/\(owner)"] == 1
        && counts["/parked/\(owner)"] == 1 && counts["/expired/\(owner)", default: 0] >= 2
        && (areRefreshed || counts["/token"] == 1) && counts["/flaky/\(owner)", default: 0] >= 3
    }
    expect(isInFlight)
    return load
  }

  /// Ends a period, while another thread goes on beginning requests; nothing of the period is sent or delivered any more.
  private func leave(
    _ load: Load, _ app: IdentityApp, for name: String, account: String?, sessions: Set<String>
  ) async {
    let (old, oldAccount) = (app.period.value, app.account.value)
    let names = [oldAccount ?? "nobody", account ?? "nobody"]
    let late = Guarded<[Recorder]>([])
    await together(2) { lane in
      if lane == 0 { return app.enter(name, account: account) }
      for _ in 0..<5 {
        // Its owner is looked up when it is built, by when it belongs to an identity.
        let recorder = Recorder(app.client.enqueue(request: Own(app: app), resultType: IdentityApp.Answer.self))
        late.withLock { $0.append(recorder) }
      }
    }
    for recorder in load.all {
      await recorder.waitForEnd()
      expect(recorder.violations.isEmpty)
    }
    expect(load.parked.allSatisfy { $0.events.count == 1 && $0.failure?.code == .contextChanged })
    for recorder in load.racing {
      let failure = recorder.failure
      expect(recorder.isCompleted || failure?.code == .contextChanged, "\(String(describing: failure))")
      expect(recorder.values.allSatisfy { $0.value.owner == old && sessions.contains($0.value.session) })
    }
    for recorder in late.withLock({ $0 }) {
      await recorder.waitForEnd()
      expect(recorder.values.allSatisfy { names.contains($0.value.owner) })
      expect((recorder.isCompleted || recorder.failure?.code == .contextChanged))
    }
    await check(app, old, name, sessions)
  }

  /// What the server has seen of a period, when the next one has been heard of.
  private func check(
    _ app: IdentityApp, _ old: String, _ new: String, _ sessions: Set<String>
  ) async {
    // Whatever was on its way has come by then: its connection was accepted before the first of these was answered, and read
    // before the second.
    for count in 1...2 {
      expectEqual((try? await own(app))?.owner, new)
      await app.server.wait { log in log.requests.count { $0.path == "/own/\(new)" } >= count }
    }
    let log = app.server.log.requests
    for request in log where request.owner == old {
      expect(
        sessions.contains(request.session) || request.path.hasPrefix("/held/narrow"),
        "\(request.target) of \(request.owner) has the session \(request.session), and not \(sessions)")
      // None, if it was adapted in the very moment of the change.
      expect([old, "none"].contains(request.tokenOwner), "\(request.target) has the token of another")
    }
    // Signing in carries the cookies over, and nothing else does.
    let isSignIn = old.hasPrefix("nobody")
    for request in log where request.owner != old {
      expect(
        [new, "nobody"].contains(request.owner), "\(request.target) \(request.owner), connection \(request.connection)")
      let isOfOld = isSignIn && request.owner == "nobody"
      expect(isSignIn ? sessions.contains(request.session) : request.session == "none")
      expect([isOfOld ? old : new, "none"].contains(request.tokenOwner))
    }
    let counts = Dictionary(log.lazy.filter { $0.owner == old }.map { ($0.path, 1) }, uniquingKeysWith: +)
    expectNil(counts["/queued/\(old)"], "what waited has never been sent")
    expectEqual(counts["/parked/\(old)"], 1, "no retry has followed")
    if !app.answersRefreshes.value {
      expectEqual(counts["/expired/\(old)"], 2, "nothing was replayed")
      expectEqual(log.count { $0.path == "/token" && $0.owner == old }, 1, "each identity has one refresh")
    }
    app.server.forgetRequests()
  }
}

/// A request that says in whose name it is built.
private struct Own: RequestConvertible {
  let app: IdentityApp

  func asRequest() -> Request {
    Request(
      .get, "/begun", headers: ["X-Owner": app.account.value ?? "nobody"], options: .with { $0.allowsRecovery = false })
  }
}
