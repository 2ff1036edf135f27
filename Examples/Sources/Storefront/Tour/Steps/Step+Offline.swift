import Heliograph
import HeliographTesting

extension Step {
  static let offlineReading = Step("Reading without a network") { tour in
    let scene = try CatalogueScene()
    defer { scene.end() }
    let network = ManualReachability()
    let engine = try scene.launch(reachability: network)
    let model = CatalogueModel(engine: engine)
    model.load()
    await tour.wait { model.isCurrent }

    network.set(.unreachable)
    let before = scene.host.counts.requests
    let offline = SignalRecorder(engine.products())
    await offline.waitForEnd()
    tour.report.check(
      offline.values.map(\.source.isCache) == [true] && offline.failure?.code == .unreachable,
      "the stored list comes first, then the error 668", offline.summary)
    model.load()
    await tour.wait { model.list.error != nil }
    tour.report.check(
      model.products == scene.host.products && model.list.error != nil && !model.isCurrent,
      "the list stays on the screen, with a message",
      "\(model.products.count) products, “\(model.list.error?.message ?? "none")”")
    await tour.fallBack(engine, scene, "the network first: the stored list replaces the error")
    let sentCount = scene.host.counts.requests - before
    tour.report.check(sentCount == 0, "nothing was sent", "at the server: requests \(sentCount)")

    network.set(.reachable)
    scene.host.server.stop()
    await tour.fallBack(engine, scene, "the same with a network whose server is stopped")
    let statistics = engine.cache.statistics.value
    tour.report.check(
      statistics.hitCount == 4 && statistics.storedCount == 1 && statistics.evictionCount == 0,
      "the cache has counted four hits and one stored response", statistics.summary)
  }
}

extension Tour {
  /// Reads the product list with the network first, while there is none.
  fileprivate func fallBack(_ engine: CatalogueEngine, _ scene: CatalogueScene, _ claim: String) async {
    let recorder = SignalRecorder(engine.products(.networkThenCache))
    await recorder.waitForEnd()
    report.check(
      recorder.values.map(\.value) == [scene.host.products] && recorder.values.allSatisfy(\.source.isCache)
        && recorder.isCompleted,
      claim, recorder.summary)
  }
}

extension SignalRecorder<Response<[Product]>, NetworkError> {
  /// The events in one line.
  fileprivate var summary: String {
    let values = values.map { "\($0.value.count) products, source: \($0.source)" }
    let end = failure.map { "then \($0.domain) \($0.code.number), “\($0.message)”" } ?? "completed"
    return (values + [end]).joined(separator: "; ")
  }
}
