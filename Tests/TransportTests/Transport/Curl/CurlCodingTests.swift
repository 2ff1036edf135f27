import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A body in one of the content codings that not every machine can decode.
struct CodedBody: Sendable, CustomStringConvertible {
  let coding: ContentCoding
  let body: Data
  /// Compressed with gzip before.
  let bodyOfGzip: Data
  let bomb: Data

  var description: String { coding.rawValue }

  static let present = [
    CodedBody(
      coding: .brotli, body: Compressed.brotli, bodyOfGzip: Compressed.gzipInBrotli, bomb: Compressed.brotliBomb),
    CodedBody(coding: .zstd, body: Compressed.zstd, bodyOfGzip: Compressed.gzipInZstd, bomb: Compressed.zstdBomb),
  ].filter(\.coding.isSupported)
}

@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlCodingTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
  }

  private func answer(
    _ coding: String, _ pieces: [Data], _ adjust: (inout TransportSettings) -> Void = { _ in }
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    server.route("GET", "/coded") { _ in .chunked(pieces).header("Content-Encoding", coding) }
    var settings = TransportSettings()
    adjust(&settings)
    let recorder = SignalRecorder(try CurlTransport(settings).send(HTTPRequest(url: server.url("/coded"))))
    await recorder.waitForEnd()
    expect(recorder.violations.isEmpty)
    return recorder
  }

  @Test(arguments: CodedBody.present, [1, 7, 1000])
  func aBodyIsDecodedInPiecesOfAnyLength(_ coded: CodedBody, _ length: Int) async throws {
    let recorder = try await answer(coded.coding.rawValue, coded.body.pieces(of: length))
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(recorder.values.body, Compressed.plain)
  }

  @Test(arguments: CodedBody.present) func aBodyThatIsCutOffIsRefused(_ coded: CodedBody) async throws {
    for count in 1..<coded.body.count {
      let recorder = try await answer(coded.coding.rawValue, [coded.body.prefix(count)])
      expectEqual(recorder.failure?.code, .undecodableBody, "\(count): \(recorder.events)")
    }
    let empty = try await answer(coded.coding.rawValue, [])
    expect(empty.isCompleted)
  }

  /// Only the end of the connection ends the body, and a lost connection looks the same.
  @Test(arguments: CodedBody.present)
  func aBodyWithoutALengthThatIsCutOffIsALostConnection(_ coded: CodedBody) async throws {
    for (body, code) in [
      (coded.body.prefix(coded.body.count / 2), .connectionLost), (Data(repeating: 0xFF, count: 40), .undecodableBody),
      (coded.body + Data("\n".utf8), .undecodableBody), (coded.body, nil),
    ] as [(Data, NetworkError.Code?)] {
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coded.coding.rawValue)\r\n\r\n"
      server.route("GET", "/cut") { _ in .script([.text(head), .bytes(body), .close]) }
      let recorder = SignalRecorder(try CurlTransport().send(HTTPRequest(url: server.url("/cut"))))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, code, "\(recorder.events)")
    }
  }

  @Test(arguments: CodedBody.present) func whatIsNotItsDataIsRefused(_ coded: CodedBody) async throws {
    let broken = Data(repeating: 0xFF, count: 40)
    for body in [broken, coded.body.prefix(8) + broken, coded.body + Data("more".utf8), Compressed.gzip] {
      let recorder = try await answer(coded.coding.rawValue, [body])
      expectEqual(recorder.failure?.code, .undecodableBody, "\(recorder.events)")
    }
  }

  @Test(arguments: CodedBody.present, [1, 40])
  func whatFollowsTheDataIsNamed(_ coded: CodedBody, _ count: Int) async throws {
    let recorder = try await answer(coded.coding.rawValue, [coded.body, Data("\n".utf8), Data(count: count - 1)])
    let expected = "trailing data after the \(coded.coding.rawValue) stream"
    expect(recorder.failure?.reason.contains(expected) == true, "\(recorder.events)")
  }

  /// Files that were written in blocks have such padding.
  @Test func zerosAfterGzipAreIgnored() async throws {
    for pieces in [[Compressed.gzip + Data(count: 40)], [Compressed.gzip, Data(count: 1), Data(count: 70_000)]] {
      let recorder = try await answer("gzip", pieces)
      expect(recorder.isCompleted, "\(recorder.events)")
      expectEqual(recorder.values.body, Compressed.plain)
    }
    let members = Compressed.gzip + Data(count: 3) + Compressed.gzip
    try await expectEqual(answer("gzip", members.pieces(of: 5)).values.body, Compressed.plain + Compressed.plain)
  }

  /// They would belong to nothing: no other format is padded.
  @Test func zerosAfterAnotherCodingAreTrailingData() async throws {
    let recorder = try await answer("deflate", [Compressed.zlib + Data(count: 40)])
    expectEqual(recorder.failure?.code, .undecodableBody)
  }

  /// Object stores send what was uploaded with the object; `URLSession` passes it on, too.
  @Test(arguments: ["utf-8", "aws-chunked", "none, gzip", "gzip,aws-chunked"])
  func whatIsNoCodingIsPassedOn(_ field: String) async throws {
    let body = field.contains("gzip") ? Compressed.gzip : Compressed.plain
    let recorder = try await answer(field, [body])
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(recorder.values.body, Compressed.plain)
  }

  @Test(arguments: CodedBody.present) func codingsInARowAreUndone(_ coded: CodedBody) async throws {
    let recorder = try await answer("gzip, \(coded.coding.rawValue)", coded.bodyOfGzip.pieces(of: 5))
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(recorder.values.body, Compressed.plain)
  }

  @Test(.enabled(if: ContentCoding.zstd.isSupported)) func zstdMayHaveSeveralFrames() async throws {
    let frames = Compressed.zstdOfTwoFrames
    for length in [1, 1000] {
      let recorder = try await answer("zstd", frames.pieces(of: length))
      expectEqual(recorder.values.body, Data("first,second".utf8), "\(recorder.events)")
    }
    try await expectEqual(answer("zstd", [frames.dropLast(3)]).failure?.code, .undecodableBody)
  }

  /// RFC 9659 §3: else a short body could take any amount of memory.
  @Test(.enabled(if: ContentCoding.zstd.isSupported)) func aWindowBeyondEightMebibytesIsRefused() async throws {
    let recorder = try await answer("zstd", [Compressed.zstdWithALongWindow])
    expectEqual(recorder.failure?.code, .undecodableBody, "\(recorder.events)")
    expect(recorder.values.body.isEmpty)
  }

  @Test(arguments: CodedBody.present) func aBombMeetsTheLimit(_ coded: CodedBody) async throws {
    let recorder = try await answer(coded.coding.rawValue, [coded.bomb])
    expectEqual(recorder.values.body, Data(count: 3_000_000))
    // It is decoded piece by piece, so no more than one of them is ever in memory.
    let lengths = recorder.values.map { if case .body(let piece) = $0 { piece.count } else { 0 } }
    expect(lengths.allSatisfy { $0 <= 65_536 })
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try CurlTransport())
    configuration.limits.bodyByteCount = 1_000_000
    let limited = SignalRecorder(NetworkClient(configuration).exchange(request: "/coded"))
    await limited.waitForEnd()
    expectEqual(limited.failure?.code, .responseTooLarge)
    expect((limited.failure?.response?.value.count ?? 0) < 1_200_000)
  }

  /// What is wrong is found when the consumer has caught up, by when the server says nothing more.
  @Test func whatIsFoundBrokenAfterAPauseEndsAtOnce() async throws {
    let body = try Compressed.bomb() + Data("more".utf8)
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count + 1)\r\n\r\n"
    server.route("GET", "/coded") { _ in .script([.text(head), .bytes(body), .hold]) }
    let events = try CurlTransport().send(HTTPRequest(url: server.url("/coded"), idleTimeout: .seconds(3_600)))
    var taken = 0
    var code: NetworkError.Code?
    do {
      for try await event in events.values {
        if case .body(let piece) = event { taken += piece.count }
      }
    } catch {
      code = error.code
    }
    expectEqual(code, .undecodableBody)
    expectEqual(taken, 3_000_000)
  }

  /// A few bytes become many pieces, which must not all wait in memory for a consumer that takes its time.
  @Test(arguments: CodedBody.present, [true, false])
  func aBombWaitsForItsConsumer(_ coded: CodedBody, _ isWhole: Bool) async throws {
    let bomb = isWhole ? coded.bomb : coded.bomb.dropLast(2)
    server.route("GET", "/coded") { _ in .data(bomb).header("Content-Encoding", coded.coding.rawValue) }
    let sent = Guarded(0)
    let events = try CurlTransport().send(HTTPRequest(url: server.url("/coded")))
      .on(value: { if case .body(let piece) = $0 { sent.withLock { $0 += piece.count } } })
    var taken = 0
    var most = 0
    var code: NetworkError.Code?
    do {
      for try await event in events.values {
        guard case .body(let piece) = event else { continue }
        taken += piece.count
        // sleeps: this is the slow consumer.
        try await Task.sleep(for: .milliseconds(2))
        most = max(most, sent.withLock { $0 } - taken)
      }
    } catch let error as NetworkError {
      code = error.code
    }
    expectEqual(code, (isWhole ? nil : .undecodableBody))
    if isWhole { expectEqual(taken, 3_000_000) }
    expect(most < 1_500_000, "\(most)")
  }

  /// A body that expands a thousandfold must not hold up the others until all of it is decoded.
  @Test(arguments: [true, false], [true, false])
  func aBombLeavesOthersTheirTurns(_ isWhole: Bool, _ isChunked: Bool) async throws {
    // Four members in one read of libcurl's.
    let member = try Compressed.bomb()
    let bomb = (member + member + member + member).dropLast(isWhole ? 0 : 2)
    server.route("GET", "/coded") { _ in
      let response = isChunked ? LoopbackResponse.chunked([bomb]) : .data(bomb)
      return response.header("Content-Encoding", "gzip")
    }
    // A name without an address fails on the loop's thread, as soon as that starts the exchange.
    var settings = TransportSettings()
    settings.resolve = { _, _ in [] }
    let transport = try CurlTransport(settings)
    let other = transport.send(HTTPRequest(url: try require(URL(string: "http://nowhere.example/"))))
    let taken = Guarded(0)
    let others = Guarded<[SignalRecorder<TransportEvent, NetworkError>]>([])
    let takenBefore = Guarded<Int?>(nil)
    let recorder = SignalRecorder(
      transport.send(HTTPRequest(url: server.url("/coded"))).on(value: { event in
        guard case .body(let piece) = event else { return }
        let isFirst = taken.withLock { count in
          count += piece.count
          return count == piece.count
        }
        guard isFirst else { return }
        let failing = SignalRecorder(
          other.on(failure: { _ in
            let count = taken.withLock { $0 }
            takenBefore.withLock { $0 = count }
          }))
        others.withLock { $0.append(failing) }
      }))
    await recorder.waitForEnd()
    for failing in others.withLock({ $0 }) { await failing.waitForEnd() }
    let count = try require(takenBefore.withLock { $0 })
    expect(count < 9_000_000, "\(count)")
    expectEqual(recorder.values.body, Data(count: 12_000_000))
    expectEqual(recorder.failure?.code, (isWhole ? nil : .undecodableBody))
    expect(recorder.violations.isEmpty)
  }

  /// It ends when it is cancelled, and does not hold up the others.
  @Test(.enabled(if: ContentCoding.zstd.isSupported))
  func aBodyThatDecodesToNothingLeavesOthersTheirTurns() async throws {
    let body = try Compressed.gzipOfSkippedFrame()
    server.route("GET", "/coded") { _ in .data(body).header("Content-Encoding", "zstd, gzip") }
    // A name without an address fails on the loop's thread, as soon as that starts the exchange.
    var settings = TransportSettings()
    settings.resolve = { _, _ in [] }
    let transport = try CurlTransport(settings)
    let other = transport.send(HTTPRequest(url: try require(URL(string: "http://nowhere.example/"))))
    let hasEnded = Guarded(false)
    let hadEnded = Guarded<Bool?>(nil)
    let others = Guarded<[SignalRecorder<TransportEvent, NetworkError>]>([])
    let recorder = SignalRecorder(
      transport.send(HTTPRequest(url: server.url("/coded"))).on(
        value: { event in
          guard case .head = event else { return }
          let failing = SignalRecorder(
            other.on(failure: { _ in
              let value = hasEnded.withLock { $0 }
              hadEnded.withLock { $0 = value }
            }))
          others.withLock { $0.append(failing) }
        }, completion: { hasEnded.withLock { $0 = true } }))
    await recorder.waitForEnd()
    for failing in others.withLock({ $0 }) { await failing.waitForEnd() }
    expectEqual(hadEnded.withLock { $0 }, false)
    expectNil(recorder.failure)
    expect(recorder.values.body.isEmpty)
  }

  /// Each coding expands it a thousandfold, so that a few more bytes would take hours.
  @Test(.enabled(if: ContentCoding.zstd.isSupported), arguments: [true, false])
  func dataThatExpandsWithoutABodyEnds(_ isStreamed: Bool) async throws {
    server.route("GET", "/coded") { _ in
      .data(Compressed.gigabyteOfNothing).header("Content-Encoding", "zstd, gzip, gzip, gzip")
    }
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: try CurlTransport()))
    let signal = isStreamed ? client.stream(request: "/coded") : client.exchange(request: "/coded")
    let recorder = SignalRecorder(signal)
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .responseTooLarge, "\(recorder.events)")
  }

  /// A server could otherwise keep the exchange alive for ever.
  @Test func aBodyThatAddsNothingForSixtyFourMebibytesEnds() async throws {
    // Stored blocks of no bytes (RFC 1951 §3.2.4), which zlib skips faster than members or padding.
    let blocks = Data((0..<200_000).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] })
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    let start = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
    let endless = [.text(head), .bytes(start)] + (0..<68).map { _ in LoopbackResponse.Step.bytes(blocks) } + [.hold]
    server.route("GET", "/coded") { _ in .script(endless) }
    let recorder = SignalRecorder(
      try CurlTransport().send(HTTPRequest(url: server.url("/coded"), idleTimeout: .seconds(3_600))))
    await expect(recorder.waitForEnd())
    expectEqual(recorder.failure?.code, .responseTooLarge, "\(recorder.events)")
  }

  @Test func aCodingThatWasNotOfferedIsRefused() async throws {
    for coded in CodedBody.present {
      let recorder = try await answer(coded.coding.rawValue, [coded.body]) { $0.contentCodings = [.gzip] }
      expectEqual(recorder.failure?.code, .undecodableBody, "\(recorder.events)")
      expectEqual(server.log.requests.last?.header("Accept-Encoding"), "gzip")
    }
  }
}

extension Data {
  /// Itself in pieces of a length; the last may be shorter.
  fileprivate func pieces(of length: Int) -> [Data] {
    stride(from: 0, to: count, by: length).map { self[(startIndex + $0)...].prefix(length) }
  }
}
