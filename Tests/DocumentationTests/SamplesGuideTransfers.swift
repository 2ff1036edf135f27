import Foundation
import Heliograph
import HeliographTesting
import Observation
import Testing

/// The samples of the article UploadsAndDownloads, over a real socket.
@Suite struct TransferGuideSamples {
  private let server: LoopbackServer
  private let client: NetworkClient

  init() throws {
    server = try LoopbackServer()
    server.route("POST", "/films") { _ in .json(#"{"id": 3}"#, status: 201) }
    server.route("GET", "/film") { _ in .data(Data(count: 300_000)) }
    client = NetworkClient(baseURL: server.baseURL)
  }

  // sample: transfers-model
  @MainActor @Observable final class UploadModel {
    private(set) var fraction: Double?
    private(set) var problem: String?
    private var upload: Disposable?
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func send(_ film: URL) {
      let form: Multipart = [.text("title", "Holidays"), .file("film", film)]
      upload = client.upload(request: Request(.post, "/films", body: .multipart(form)), resultType: NoContent.self)
        .compactMap { $0.progress }.filter { $0.direction == .sending }
        .throttle(.milliseconds(100))
        .bound(to: self)  // cancelled when the model is deallocated
        .subscribeOnMain(
          onValue: { [weak self] in self?.fraction = $0.fractionCompleted },
          onFailure: { [weak self] in self?.problem = $0.message })
    }

    func cancel() { upload?.dispose() }
  }
  // end sample

  @MainActor @Test func anUploadShowsItsProgress() async throws {
    let film = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mov")
    try Data(count: 500_000).write(to: film)
    defer { try? FileManager.default.removeItem(at: film) }
    let model = UploadModel(client: client)
    model.send(film)
    #expect(await server.wait { $0.requests.count == 1 })
    let fractions = SignalRecorder(Signal<Double?, Never>.observing { model.fraction })
    #expect(await fractions.wait { $0.contains { $0.value == 1 } })
    #expect(model.problem == nil)
    model.cancel()
  }

  @Test func aDownloadIsSaved() async throws {
    let target = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    defer { try? FileManager.default.removeItem(at: target) }
    // sample: transfers-download
    var request = Request(.get, "/film", totalTimeout: .seconds(600))
    request.options.limits = ResponseLimits(bodyByteCount: 512 * 1_024 * 1_024)  // in memory; default: 256 MiB
    for try await step in client.download(request: request).throttle(.milliseconds(100)).values {
      switch step {
      case .progress(let progress): print(progress)  // received 131072 of 300000 bytes
      case .finished(let response): try response.value.write(to: target)
      }
    }
    // end sample
    #expect(try Data(contentsOf: target).count == 300_000)
  }

  @Test func piecesAsTheyCome() async throws {
    var count = 0
    // sample: transfers-pieces
    let events = client.configuration.transport.send(try client.httpRequest(for: "/film"))
    for try await event in events.values {
      if case .body(let data) = event { count += data.count }
    }
    // end sample
    #expect(count == 300_000)
  }
}
