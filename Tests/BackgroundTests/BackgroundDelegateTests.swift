#if os(macOS)
import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographBackground

/// The delegate of a background session, driven by a default session: the delegate's calls are the same.
final class BackgroundDelegateTests {
  private let server: LoopbackServer
  private let responses: StoredResponses
  private let delegate: BackgroundDelegate
  private let session: URLSession
  private let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/film") { [content] _ in .data(content) }
    server.route("GET", "/resumed") { [content] _ in
      // What the delegate sees of a resumed download: the head of the rest, and the entire file.
      .data(content, status: 206).header("Content-Range", "bytes 100000-299999/300000")
    }
    server.route("GET", "/none") { _ in .text("gone", status: 404) }
    server.route("GET", "/expired") { _ in .text("expired", status: 403) }
    server.route("PUT", "/film") { .text("\($0.body.count)") }
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("background-\(UUID().uuidString)")
    responses = StoredResponses(folder: url)
    delegate = BackgroundDelegate(SessionDelegate(), responses, "test", BackgroundEventTable())
    session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
  }

  deinit {
    session.invalidateAndCancel()
    try? FileManager.default.removeItem(at: responses.folder)
  }

  /// Starts a task for a request, as the session does.
  private func start(
    _ request: HTTPRequest, key: String = "key", _ make: (URLRequest) -> URLSessionTask
  ) -> SignalRecorder<TransportEvent, NetworkError> {
    let task = make(URLRequest(request))
    task.taskDescription = BackgroundTaskDescription(key: key).text
    return SignalRecorder(
      Signal { [delegate] observer in
        delegate.base.exchanges.add(SessionExchange(observer, task, request))
        task.resume()
        return nil
      })
  }

  private func download(_ path: String) -> SignalRecorder<TransportEvent, NetworkError> {
    start(HTTPRequest(url: server.url(path))) { session.downloadTask(with: $0) }
  }

  @Test func aDownloadReportsItsProgressAndThenItsBody() async throws {
    let recorder = download("/film")
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(recorder.values.body, content)
    let counts = recorder.values.compactMap { event -> Int? in
      if case .received(let count, let total) = event, total == content.count { count } else { nil }
    }
    expectEqual(counts, counts.sorted())
    expectEqual(counts.last, content.count)
    let head = try require(recorder.values.firstIndex { if case .head = $0 { true } else { false } })
    expect(recorder.values[head...].allSatisfy { if case .received = $0 { false } else { true } })
    let folder = responses.folder.path
    await until { (try? FileManager.default.contentsOfDirectory(atPath: folder)) == [] }
  }

  @Test func aResumedDownloadIsAnEntireResponse() async {
    let recorder = download("/resumed")
    await recorder.waitForEnd()
    expectEqual(recorder.values.head?.statusCode, 200)
    expectNil(recorder.values.head?.headers["Content-Range"])
    expectEqual(recorder.values.body, content)
  }

  /// The system fails the task, because the partial file is gone.
  @Test func aDownloadThatCannotBeResumedStartsOver() async {
    let recorder = start(HTTPRequest(url: server.url("/film"))) { _ in
      let task = session.downloadTask(withResumeData: Data("x".utf8))
      delegate.markResumed(task)
      return task
    }
    await recorder.waitForEnd()
    expectEqual(recorder.values.head?.statusCode, 200)
    expectEqual(recorder.values.body, content)
  }

  /// The system has requested the rest from the target of a redirect, which has expired.
  @Test func aDownloadWhoseRestIsRefusedStartsOver() async {
    let recorder = start(HTTPRequest(url: server.url("/film"))) { _ in
      let task = session.downloadTask(with: server.url("/expired"))
      delegate.markResumed(task)
      return task
    }
    await recorder.waitForEnd()
    expectEqual(recorder.values.head?.statusCode, 200)
    expectEqual(recorder.values.body, content)
    expectEqual(server.log.requests.map(\.path), ["/expired", "/film"])
  }

  @Test func theBodyOfAnErrorIsDeliveredWithoutProgress() async {
    let recorder = download("/none")
    await recorder.waitForEnd()
    expectEqual(recorder.values.head?.statusCode, 404)
    expectEqual(recorder.values.body, Data("gone".utf8))
    expect(recorder.values.allSatisfy { if case .received = $0 { false } else { true } })
  }

  @Test func anUploadIsAnsweredByItsData() async throws {
    let file = responses.folder.appendingPathComponent("body")
    try responses.create()
    try content.write(to: file)
    let request = HTTPRequest(method: .put, url: server.url("/film"), body: .file(file))
    let recorder = start(request) { session.uploadTask(with: $0, fromFile: file) }
    await recorder.waitForEnd()
    expectEqual(recorder.values.body, Data("\(content.count)".utf8))
  }

  /// A task of an earlier process has no exchange: its response is stored for the request that is sent again.
  @Test func theResponseOfAnEarlierProcessIsStored() async throws {
    let task = session.downloadTask(with: server.url("/film"))
    task.taskDescription = BackgroundTaskDescription(key: "earlier").text
    task.resume()
    let folder = responses.folder
    await until { FileManager.default.fileExists(atPath: folder.appendingPathComponent("earlier.head").path) }
    let (head, file, _) = try require(responses.take("earlier"))
    expectEqual(head.statusCode, 200)
    expectEqual(try file.readToEnd(), content)
  }

  @Test func theResumeDataOfAnEarlierProcessIsStored() {
    let task = session.downloadTask(with: server.url("/film"))
    let description = BackgroundTaskDescription(key: "earlier")
    task.taskDescription = description.text
    let error = NSError(
      domain: NSURLErrorDomain, code: NSURLErrorNetworkConnectionLost,
      userInfo: [NSURLSessionDownloadTaskResumeData: Data("rest".utf8)])
    delegate.urlSession(session, task: task, didCompleteWithError: error)
    let key = description.resumeKey(for: server.url("/film"))
    expectEqual(responses.takeResumeData(key), Data("rest".utf8))
  }
}
#endif
