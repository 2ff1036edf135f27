import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// What the head of a request says, and which head of a response is delivered, over each transport there is.
struct TransportHeadTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/part") { _ in .text("hello", status: 206) }
  }

  /// What the server sees of a request with these fields.
  private func seen(_ kind: TransportKind, _ headers: HTTPHeaders) async throws -> LoopbackRequest {
    let recorder = SignalRecorder(try kind.transport().send(HTTPRequest(url: server.url("/part"), headers: headers)))
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(recorder.events)")
    return try require(server.log.requests.last)
  }

  /// A part of encoded bytes could not be decoded.
  @Test(arguments: TransportKind.present) func aPartIsNotAskedForInACoding(_ kind: TransportKind) async throws {
    let part = try await seen(kind, ["Range": "bytes=0-4"])
    expectEqual(part.header("Range"), "bytes=0-4")
    // A session offers all codings unless the field is there.
    expectEqual(part.header("Accept-Encoding"), (kind == .urlSession ? "identity" : nil))
    let whole = try await seen(kind, [:])
    expectEqual(whole.header("Accept-Encoding")?.contains("gzip"), true)
    let own = try await seen(kind, ["Range": "bytes=0-4", "Accept-Encoding": "gzip"])
    expectEqual(own.header("Accept-Encoding"), "gzip")
  }

  @Test(arguments: TransportKind.present) func anEmptyFieldIsSent(_ kind: TransportKind) async throws {
    expectEqual(try await seen(kind, ["X-Empty": ""]).header("X-Empty"), "")
  }

  /// Over HTTP/2, servers drop a field with white space at its end, or reset the stream.
  @Test(arguments: TransportKind.present) func whiteSpaceAtTheEndsOfAValueIsNotSent(_ kind: TransportKind) async throws
  {
    let wire = try WireServer()
    let url = try require(URL(string: "http://127.0.0.1:\(wire.port)/"))
    let headers: HTTPHeaders = ["X-Key": " order-7 \t", "X-Blank": " \t"]
    await SignalRecorder(try kind.transport().send(HTTPRequest(url: url, headers: headers))).waitForEnd()
    let fields = try WireRequest(try require(wire.requests.first)).fields
    expect(fields.contains("X-Key: order-7"), "\(fields)")
    expectEqual(fields.first { $0.hasPrefix("X-Blank:") }?.trimmingCharacters(in: .whitespaces), "X-Blank:")
  }

  @Test(arguments: TransportKind.present) func fieldsThatAreNotASCIIArriveInUTF8(_ kind: TransportKind) async throws {
    server.route("GET", "/part") { .text("").header("X-Echo", $0.header("X-User") ?? "") }
    let request = HTTPRequest(url: server.url("/part"), headers: ["X-User": "Łukasz 文件"])
    let recorder = SignalRecorder(try kind.transport().send(request))
    await recorder.waitForEnd()
    let heads = recorder.values.compactMap { if case .head(let head) = $0 { head } else { nil } }
    expectEqual(heads.first?.headers["X-Echo"], "Łukasz 文件")
    expectEqual(server.log.requests.last?.header("X-User"), "Łukasz 文件")
  }

  /// Apple's URL loading system decodes fields as ISO-8859-1, and sends them so.
  @Test(arguments: [
    ("X-Name", Array("Łukasz 文件".utf8), "Łukasz 文件"), ("X-Name", [0xFC] + Array("ber".utf8), "über"),
    ("Location", [0x2F, 0xFC], "/%FC"), ("X-Name", Array("plain".utf8), "plain"), ("X-Name", [], ""),
  ])
  func bytesDecodedAsLatin1AreDecodedAgain(_ name: String, _ bytes: [UInt8], _ value: String) {
    var decoded = String.UnicodeScalarView()
    decoded.append(contentsOf: bytes.map { Unicode.Scalar($0) })
    let field = HTTPHeaders.Field(name: name, decodedAsLatin1: String(decoded))
    expectEqual(field.value, value)
    let sent = HTTPHeaders.Field(name: name, decodedAsLatin1: field.valueSentAsLatin1)
    expectEqual(sent.value, value)
    expectEqual(field.valueSentAsLatin1.unicodeScalars.map(\.value), value.utf8.map { UInt32($0) })
    // What was decoded well stays.
    expectEqual(HTTPHeaders.Field(name: name, decodedAsLatin1: "文件").value, "文件")
  }

  /// RFC 9110 §15.2: a client may ignore interim responses.
  @Test(arguments: TransportKind.present, [false, true])
  func anInterimHeadIsNotDelivered(_ kind: TransportKind, _ comesBefore: Bool) async throws {
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\nX-Early: 1\r\n\r\n"
    let last = "HTTP/1.1 200 OK\r\nX-Late: 2\r\nContent-Length: 1\r\n\r\na"
    server.route("GET", "/hints") { _ in
      .script(comesBefore ? [.text(interim), .delay(.milliseconds(100)), .text(last)] : [.text(interim + last)])
    }
    let recorder = SignalRecorder(try kind.transport().send(HTTPRequest(url: server.url("/hints"))))
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(recorder.values.body, Data("a".utf8))
    let heads = recorder.values.compactMap { if case .head(let head) = $0 { head } else { nil } }
    expectEqual(heads.map(\.statusCode), [200])
    let head = try require(heads.first)
    expectEqual(head.headers.map { $0.name.lowercased() }.sorted(), ["content-length", "x-late"])
    expectEqual(head.headers["X-Late"], "2")
  }
}
