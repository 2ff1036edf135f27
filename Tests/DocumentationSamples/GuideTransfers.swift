import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

/// The samples of the article UploadsAndDownloads, over a real socket.
struct TransferGuideSamples {
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
    private(set) var progress: TransferProgress?
    private(set) var problem: String?
    private var upload: Disposable?
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func send(_ film: URL) {
      let form: Multipart = [.text("title", "Holidays"), .file("film", film)]
      upload = client.upload(request: Request(.post, "/films", body: .multipart(form)), resultType: NoContent.self)
        .compactMap { $0.progress }.filter { $0.direction == .sending }
        .bound(to: self)  // cancelled when the model is deallocated
        .subscribeOnMain(
          onValue: { [weak self] in self?.progress = $0 },
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
    await expect(server.wait { $0.requests.count == 1 })
    let fractions = SignalRecorder(Signal<Double?, Never>.observing { model.progress?.fractionCompleted })
    await expect(fractions.wait { $0.contains { $0.value == 1 } })
    expectNil(model.problem)
    model.cancel()
  }

  func text(_ progress: TransferProgress) -> String {
    let size = progress.byteCount.formatted(.byteCount(style: .file))
    let rate = progress.bytesPerSecond.map { Int64($0).formatted(.byteCount(style: .file)) + "/s" }
    let time = progress.timeRemaining.map { $0.formatted(.units(allowed: [.hours, .minutes, .seconds])) }
    return [size, rate, time].compactMap { $0 }.joined(separator: ", ")  // 1.2 MB, 310 kB/s, 2 min, 5 sec
  }

  @Test func progressIsText() {
    let start = TransferProgress(.sending, byteCount: 65_536)
    let later = TransferProgress(.sending, byteCount: 1_000_000, totalByteCount: 3_000_000, bytesPerSecond: 10_000)
    expect(!text(start).contains(", "))
    expect(!text(start).isEmpty)
    expect(text(later).split(separator: ", ").count >= 3)
  }

  @Test func theIntervalIsSet() async throws {
    var request = Request(.get, "/film")
    request.options.progressInterval = .seconds(1)
    let recorder = SignalRecorder(client.download(request: request))
    await recorder.waitForEnd()
    expectEqual(recorder.values.compactMap(\.progress).last?.byteCount, 300_000)
  }

  @MainActor @Test func foundationsProgressIsUpdated() async throws {
    let photo = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jpg")
    try Data(count: 100_000).write(to: photo)
    defer { try? FileManager.default.removeItem(at: photo) }
    // sample: transfers-foundation
    let progress = Progress(totalUnitCount: -1)
    let request = Request(.post, "/films", body: .file(photo, contentType: "image/jpeg"))
    let upload = client.upload(request: request, resultType: NoContent.self)
      .observe(on: .main)
      .reporting(to: progress)
    // end sample
    let recorder = SignalRecorder(upload)
    await recorder.waitForEnd()
    expect(recorder.isCompleted)
    expect(progress.isFinished)
    expectEqual(progress.totalUnitCount, 100_000)
  }

  @Test func aStreamHasADeclaredLength() async throws {
    let pages = (1...3).map { Data("page \($0)\n".utf8) }
    let book = BodyStream(byteCount: 21) { BodyStream.pieces(of: pages) }
    let request = Request(.post, "/films", body: .stream(book, contentType: "text/plain"))
    let recorder = SignalRecorder(client.upload(request: request, resultType: NoContent.self))
    await recorder.waitForEnd()
    expectEqual(server.log.requests.last?.bodyText, "page 1\npage 2\npage 3\n")
  }

  @Test func aDownloadIsWrittenToAFile() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mov")
    defer { try? FileManager.default.removeItem(at: file) }
    // 300,000 zeros.
    let digest = "886715e4051e827f4fe215df3053af3f85ad0d352db2c829c7487af6d78efe30"
    // sample: transfers-file
    let options = DownloadOptions.with {
      $0.id = "film-17"  // for signed URLs, which change
      $0.sha256 = digest
    }
    let film = try await client.download("/film", to: file, options: options) { progress in
      print(progress)  // received 131072 of 300000 bytes
    }
    print(film.value)  // the file
    // end sample
    try expectEqual(Data(contentsOf: file).count, 300_000)
  }

  @Test func aDownloadIsInMemory() async throws {
    var byteCount = 0
    var request = Request(.get, "/film", totalTimeout: .seconds(600))
    request.options.limits = ResponseLimits(bodyByteCount: 512 * 1_024 * 1_024)  // default: 256 MiB
    for try await step in client.download(request: request).values {
      switch step {
      case .progress(let progress): print(progress)  // received 131072 of 300000 bytes
      case .finished(let response): byteCount = response.value.count
      }
    }
    expectEqual(byteCount, 300_000)
  }
}
