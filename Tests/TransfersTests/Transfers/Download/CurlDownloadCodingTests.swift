import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Downloads of files that a server stores in a content coding, which libcurl delivers as they are stored.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlDownloadCodingTests {
  typealias Recorder = SignalRecorder<Transfer<Response<URL>>, NetworkError>

  let server: LoopbackServer
  let content = RangedContent(RangedContent.bytes(1_500_000))
  let folder: DownloadFolder

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    let content = content
    server.route("GET", "/film") { content.serve($0) }
  }

  private func download(
    _ kind: TransportKind = .curl, _ change: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) async throws -> Recorder {
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    configuration.idleTimeout = .seconds(3_600)
    change(&configuration)
    let recorder = Recorder(NetworkClient(configuration).download(request: "/film", to: folder.file()))
    await recorder.waitForEnd()
    return recorder
  }

  private func setCoding(_ value: String, cut: Int? = nil) {
    content.change { state in
      state.fields = [("Content-Encoding", value)]
      state.cut = cut
    }
  }

  private var starts: [Int?] { server.log.requests.map(\.rangeStart) }

  private func expectWhole(_ recorder: Recorder) {
    expectEqual(recorder.values.last?.finished?.value, folder.file(), "\(String(describing: recorder.failure))")
    expectEqual((try? Data(contentsOf: folder.file())), content.data)
    expectEqual(folder.names, ["film"])
  }

  @Test(arguments: ["gzip", "aws-chunked,gzip", "gzip, br", "aes128gcm"])
  func theRestOfACodedFileIsRequested(_ coding: String) async throws {
    setCoding(coding, cut: 700_000)
    try await expectEqual(download().failure?.domain, .network)
    expectEqual(folder.names, ["film.part", "film.part.journal"])
    setCoding(coding)
    let recorder = try await download()
    expectWhole(recorder)
    let start = try require(starts.last ?? nil)
    expect(start > 690_000 && start < 700_000)
    expectEqual(server.log.requests.map { $0.header("If-Range") }, [nil, "\"one\""])
    expectEqual(server.log.requests.map { $0.header("Accept-Encoding") }, ["identity", "identity"])
    let counts = recorder.values.compactMap(\.progress)
    expect(counts.first.map { $0.byteCount >= start } ?? false)
    expect(counts.allSatisfy { $0.totalByteCount == 1_500_000 })
  }

  /// Middleware may change the head.
  @Test func aRetryRequestsTheRestOfACodedFile() async throws {
    setCoding("gzip", cut: 600_000)
    let recorder = try await download {
      $0.retry = Retry(limit: 3, backoff: .constant(.zero))
      $0.middleware = [Renaming()]
    }
    expectWhole(recorder)
    expectEqual(starts.count, 3)
    expectEqual(starts.compactMap(\.self).count, 2)
    expect(recorder.values.compactMap(\.progress).allSatisfy { $0.totalByteCount == 1_500_000 })
  }

  /// With the same entity tag, which must differ between codings (RFC 9110 §8.8.3.3).
  @Test(arguments: [("gzip", ""), ("gzip", "br"), ("gzip", "identity"), ("", "gzip")])
  func aRangeInAnotherCodingDoesNotContinueTheFile(_ first: String, _ second: String) async throws {
    setCoding(first, cut: 700_000)
    _ = try await download()
    expectEqual(folder.names, ["film.part", "film.part.journal"])
    setCoding(second)
    content.change { $0.data = RangedContent.bytes(1_500_000, seed: 2) }
    try await expectWhole(download())
    expectEqual(starts.map { $0 != nil }, [false, true, false])
  }

  /// The request offers codings again, so that the body is decoded.
  @Test func aDecodedFileIsNotResumed() async throws {
    let zeros = try Compressed.bomb()
    content.change { $0 = .init(data: zeros, fields: [("Content-Encoding", "gzip")], cut: 2_000) }
    try await expectEqual(download { $0.middleware = [Offering()] }.failure?.domain, .network)
    expectEqual(folder.names, [])
    content.change { $0.cut = nil }
    let recorder = try await download { $0.middleware = [Offering()] }
    expectEqual((try? Data(contentsOf: folder.file())), Data(count: 3_000_000))
    expectEqual(starts, [nil, nil])
    expect(recorder.values.compactMap(\.progress).dropLast().allSatisfy { $0.totalByteCount == nil })
  }

  /// `URLSession` decodes every body, and so would join decoded bytes to those of the part.
  @Test func aCodedPartIsNotContinuedOverURLSession() async throws {
    let zeros = try Compressed.bomb()
    content.change { $0 = .init(data: zeros, fields: [("Content-Encoding", "gzip")], cut: 2_000) }
    _ = try await download()
    expectEqual(folder.names, ["film.part", "film.part.journal"])
    content.change { state in
      state.cut = nil
      // The range can be decoded for itself.
      state.other = { request in
        request.rangeStart.map {
          .data(Compressed.gzip, status: 206).header("ETag", "\"one\"").header("Content-Encoding", "gzip")
            .header("Content-Range", "bytes \($0)-\(zeros.count - 1)/\(zeros.count)")
        }
      }
    }
    let recorder = try await download(.urlSession)
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expectEqual((try? Data(contentsOf: folder.file())), Data(count: 3_000_000))
    expectEqual(starts.map { $0 != nil }, [false, true, false])
  }
}

/// A middleware that changes the head of a response.
private struct Renaming: Middleware {
  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    next(request).map { event in
      guard case .head(var head) = event else { return event }
      head.headers["X-Seen"] = "1"
      return .head(head)
    }
  }
}

/// A middleware that lets the transport offer its codings.
private struct Offering: Middleware {
  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    var request = request
    request.headers["Accept-Encoding"] = nil
    return next(request)
  }
}
