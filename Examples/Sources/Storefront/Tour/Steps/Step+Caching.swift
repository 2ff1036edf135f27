import Heliograph
import HeliographTesting

extension Step {
  static let timeToLive = Step("Provinces, read from disk for 30 days") { tour in
    let scene = try CatalogueScene()
    defer { scene.end() }
    try await tour.readProvinces(scene, after: .zero, from: "the server", "a first start loads them")
    try await tour.readProvinces(scene, after: .days(29), from: "disk", "a restart after 29 days reads them")
    try await tour.readProvinces(scene, after: .days(31), from: "the server", "a restart after 31 days loads them")
  }

  static let cacheThenNetwork = Step("A product list, shown from the cache and then refreshed") { tour in
    let scene = try CatalogueScene()
    defer { scene.end() }
    let first = try await tour.readProducts(scene)
    tour.report.check(
      first.map(\.source) == [.network], "without a stored list there is one value", first.summary)

    let second = try await tour.readProducts(scene)
    tour.report.check(
      second.map(\.source.isCache) == [true, false] && second.map(\.isUnchanged) == [false, true]
        && second.map(\.value) == [scene.host.products, scene.host.products],
      "after a restart there are two: the stored list, and the server's, flagged as unchanged", second.summary)

    let products = Array(scene.host.products.dropFirst())
    scene.host.serve(products, etag: #""summer""#)
    let third = try await tour.readProducts(scene)
    tour.report.check(
      third.map(\.source.isCache) == [true, false] && third.map(\.isUnchanged) == [false, false]
        && third.map(\.value) == [scene.host.products, products],
      "a product is sold off: the stored list, and then the new one", third.summary)

    let model = CatalogueModel(engine: try scene.launch())
    let shown = SignalRecorder(Signal.observing { model.products }.distinctUntilChanged())
    model.load()
    await tour.wait { model.isCurrent }
    tour.report.check(
      model.isCurrent && shown.values == [[], products], "a view model shows an unchanged list once",
      "\(shown.values.map(\.count)) products, \(model.isCurrent ? "current" : "stored")")
  }
}

extension Tour {
  /// Starts the app at a later time, reads the provinces and counts what arrives at the server.
  fileprivate func readProvinces(
    _ scene: CatalogueScene, after delay: Duration, from source: String, _ claim: String
  ) async throws {
    let before = scene.host.counts
    let engine = try scene.launch(after: delay)
    let response = try await engine.provinces().value()
    let after = scene.host.counts
    let counts = [after.connections - before.connections, after.requests - before.requests]
    let isDisk = source == "disk"
    report.check(
      response.value == scene.host.provinces && response.source.isCache == isDisk
        && counts == (isDisk ? [0, 0] : [1, 1]),
      "\(claim) from \(source)",
      "\(response.value.count) provinces, source: \(response.source); "
        + "at the server: connections \(counts[0]), requests \(counts[1])")
  }

  /// Starts the app and reads the product list.
  ///
  /// - Returns: All responses, in their order.
  fileprivate func readProducts(_ scene: CatalogueScene) async throws -> [Response<[Product]>] {
    let recorder = SignalRecorder(try scene.launch().products())
    await recorder.waitForEnd()
    if let error = recorder.failure { throw error }
    return recorder.values
  }
}

extension [Response<[Product]>] {
  /// The responses with their sources, in one line.
  fileprivate var summary: String {
    map { "\($0.value.count) products, source: \($0.source)\($0.isUnchanged ? ", unchanged" : "")" }
      .joined(separator: "; ")
  }
}
