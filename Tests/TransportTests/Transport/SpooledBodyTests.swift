@preconcurrency import Dispatch
import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

#if canImport(Glibc)
import Glibc
#endif

/// The temporary file of a body that is a stream.
struct SpooledBodyTests {
  /// How an exchange ends.
  enum Ending: CaseIterable, Sendable {
    case success, failure, disposal
  }

  private static let stream = BodyStream { BodyStream.pieces(of: ["one", "two"].map { Data($0.utf8) }) }

  private let folder: DownloadFolder
  private let server: LoopbackServer

  init() throws {
    folder = try DownloadFolder()
    server = try LoopbackServer()
  }

  /// An exchange whose file is in the folder.
  private func exchange(
    _ stream: BodyStream, _ send: @escaping @Sendable (HTTPRequest) -> Signal<TransportEvent, NetworkError>
  ) -> Signal<TransportEvent, NetworkError> {
    let request = HTTPRequest(method: .post, url: server.url("/a"), body: .stream(stream))
    return SpooledBody(request, stream, in: folder.url).exchange(send)
  }

  /// The permissions of each file.
  private static func permissions(in folder: DownloadFolder) -> [Int?] {
    folder.names.map { name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: folder.file(name).path)
      return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }
  }

  /// Waits until there is no file; the thread that ends an exchange removes it a little later.
  private func waitUntilEmptied() async { await until { folder.names.isEmpty } }

  @Test(arguments: Ending.allCases)
  func itIsPrivateWhileItIsSentAndGoneAfterwards(_ ending: Ending) async {
    let seen = Guarded<[Int?]>([])
    server.route("POST", "/a") { [folder] _ in
      let found = SpooledBodyTests.permissions(in: folder)
      seen.withLock { $0 = found }
      return switch ending {
      case .success: .text("a")
      case .failure: .script([.close])
      case .disposal: .never
      }
    }
    let transport = URLSessionTransport()
    let recorder = SignalRecorder(exchange(Self.stream) { transport.send($0) })
    if ending == .disposal {
      await expect(server.wait { $0.requests.count == 1 })
      recorder.dispose()
    } else {
      await expect(recorder.waitForEnd())
    }
    await waitUntilEmptied()
    expectEqual(recorder.isCompleted, (ending == .success), "\(recorder.events)")
    expectEqual((recorder.failure != nil), (ending == .failure), "\(recorder.events)")
    expectEqual(server.log.requests.first?.bodyText, "onetwo")
    expectEqual(seen.withLock { $0 }, [0o600])
  }

  #if canImport(Glibc)
  /// Before a change there would be a moment in which others could open it.
  @Test func itsPermissionsAreThoseThatItIsCreatedWith() async throws {
    let watch = inotify_init1(O_NONBLOCK)
    try require(watch >= 0)
    defer { close(watch) }
    let added = inotify_add_watch(watch, folder.url.path, UInt32(IN_ATTRIB))
    try require(added >= 0)
    let recorder = SignalRecorder(exchange(Self.stream) { _ in .empty })
    await expect(recorder.waitForEnd())
    expect(recorder.isCompleted)
    var changes = [UInt8](repeating: 0, count: 4096)
    let byteCount = read(watch, &changes, changes.count)
    expect(byteCount < 0)
  }
  #endif

  @Test func aStreamThatCannotBeSentLeavesNoFile() async {
    struct Broken: Error {}
    let open: @Sendable () -> BodyStream.Next = { BodyStream.pieces(of: [Data("ab".utf8)]) }
    let streams = [
      BodyStream { { .fail(Broken()) } }, BodyStream(byteCount: 1, open: open), BodyStream(byteCount: 3, open: open),
    ]
    for stream in streams {
      let recorder = SignalRecorder(exchange(stream) { _ in .never })
      await expect(recorder.waitForEnd())
      expectEqual(recorder.failure?.code, .invalidBody)
      await waitUntilEmptied()
    }
  }

  /// A stream may send its pieces on any thread, such as the main one.
  @Test func theFileIsNotWrittenOnTheThreadOfItsSource() async {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "source")
    queue.setSpecific(key: key, value: true)
    let stream = BodyStream {
      let next = BodyStream.pieces(of: [Data("a".utf8), Data("b".utf8)])
      return { Signal { observer in next().subscribe { event in queue.async { observer.send(event) } } } }
    }
    let isOnQueue = Guarded<Bool?>(nil)
    let recorder = SignalRecorder(
      exchange(stream) { _ in
        isOnQueue.withLock { $0 = DispatchQueue.getSpecific(key: key) == true }
        return .empty
      })
    await expect(recorder.waitForEnd())
    expectEqual(isOnQueue.withLock { $0 }, false)
  }

  @Test func aFolderThatIsMissingIsAnErrorThatSaysSo() async throws {
    try FileManager.default.removeItem(at: folder.url)
    let recorder = SignalRecorder(exchange(Self.stream) { _ in .never })
    await expect(recorder.waitForEnd())
    expectEqual(recorder.failure?.code, .invalidBody)
    expectEqual(recorder.failure?.reason.contains("No such file"), true)
  }

  /// The file is there when the stream is opened, and nothing has been written to it.
  @Test func anExchangeThatIsDisposedWhileItBeginsLeavesNoFile() async {
    let held = Guarded<SignalRecorder<TransportEvent, NetworkError>?>(nil)
    let counts = Guarded<[Int]>([])
    let isSent = Guarded(false)
    let stream = BodyStream { [folder] in
      // The exchange begins on another thread, perhaps before the recorder is known here.
      spin { held.withLock { $0 != nil } }
      let before = folder.names.count
      held.withLock { $0 }?.dispose()
      let after = folder.names.count
      counts.withLock { $0 = [before, after] }
      return BodyStream.pieces(of: [Data("a".utf8)])
    }
    let signal = exchange(stream) { _ in
      isSent.withLock { $0 = true }
      return .never
    }
    let recorder = SignalRecorder(signal)
    held.withLock { $0 = recorder }
    await until { counts.withLock({ !$0.isEmpty }) }
    held.withLock { $0 = nil }
    expectEqual(counts.withLock { $0 }, [1, 0])
    await waitUntilEmptied()
    expect(recorder.events.isEmpty)
    expectEqual(isSent.withLock { $0 }, false)
  }

  @Test func manyThatAreDisposedAtOnceLeaveNoFile() async {
    let signal = exchange(Self.stream) { _ in .never }
    for _ in 0..<5 {
      let recorders = (0..<300).map { _ in SignalRecorder(signal) }
      for recorder in recorders { recorder.dispose() }
      // It is queued behind them: by its end nearly each of them has begun, or never will.
      let last = SignalRecorder(exchange(Self.stream) { _ in .empty })
      await expect(last.waitForEnd())
      expect(last.isCompleted)
      await waitUntilEmptied()
      expect(recorders.allSatisfy { $0.events.isEmpty })
    }
  }
}
