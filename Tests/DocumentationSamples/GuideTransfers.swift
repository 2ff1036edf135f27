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
    private(set) var isDone = false
    private(set) var problem: String?
    private var upload: Disposable?
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func send(_ film: URL) {
      upload?.dispose()  // one at a time
      (progress, isDone, problem) = (nil, false, nil)
      let form: Multipart = [.text("title", "Holidays"), .file("film", film)]
      upload = client.upload(request: Request(.post, "/films", body: .multipart(form)), resultType: NoContent.self)
        .compactMap { $0.progress }.filter { $0.direction == .sending }
        .bound(to: self)  // cancelled when the model is deallocated
        .subscribeOnMain(
          onValue: { [weak self] in self?.progress = $0 },
          onFailure: { [weak self] in self?.problem = $0.message },
          onCompletion: { [weak self] in self?.isDone = true })
    }

    func cancel() {
      upload?.dispose()
      progress = nil
    }
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
    let ends = SignalRecorder(Signal<Bool, Never>.observing { model.isDone })
    await expect(ends.wait { $0.contains { $0.value == true } })
    expectNil(model.problem)
    model.cancel()
  }

  // sample: transfers-pause
  @MainActor @Observable final class DownloadModel {
    private(set) var fraction: Double?
    private(set) var result: Result<URL, NetworkError>?
    private var download: Disposable?
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func resume(to file: URL) {
      download?.dispose()
      result = nil
      download = client.download(request: "/film", to: file).bound(to: self).subscribeOnMain(
        onValue: { [weak self] step in
          if let progress = step.progress { self?.fraction = progress.fractionCompleted }
          if let response = step.finished { self?.result = .success(response.value) }
        },
        onFailure: { [weak self] in self?.result = .failure($0) })
    }

    func pause() { download?.dispose() }  // the received bytes stay
  }
  // end sample

  @MainActor @Test func aDownloadIsResumed() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mov")
    defer { try? FileManager.default.removeItem(at: file) }
    let model = DownloadModel(client: client)
    model.resume(to: file)
    model.pause()
    model.resume(to: file)
    await until { model.result != nil }
    try expectEqual(model.result?.get(), file)
    expectEqual(model.fraction, 1)
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

  @Test func aDownloadIsWrittenToAFile() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mov")
    defer { try? FileManager.default.removeItem(at: file) }
    // 300,000 zeros.
    let digest = "886715e4051e827f4fe215df3053af3f85ad0d352db2c829c7487af6d78efe30"
    // sample: transfers-file
    let options = DownloadOptions.with {
      $0.id = "film-17"  // for signed URLs, which change
      $0.sha256 = digest  // as hexadecimal text
    }
    let film = try await client.download("/film", to: file, options: options) { progress in
      print(progress)  // received 131072 of 300000 bytes
    }
    print(film.value)  // the file
    // end sample
    try expectEqual(Data(contentsOf: file).count, 300_000)
  }
}
