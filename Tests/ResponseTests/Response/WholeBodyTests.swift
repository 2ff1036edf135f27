import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// `String`, `Data` and `NoContent` take any body.
struct WholeBodyTests {
  private let stubbed = Stubbed()

  private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF])

  private static func utf16(_ text: String) -> Data {
    Data([0xFE, 0xFF]) + Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
  }

  /// Body, content type and text.
  private static let texts: [(Data, String?, String)] = [
    (Data("OK".utf8), "text/plain", "OK"), (Data("<p>é</p>".utf8), "text/html; charset=utf-8", "<p>é</p>"),
    (Data("OK".utf8), nil, "OK"), (Data(), "text/plain", ""), (Data(), "application/json", ""), (Data(), nil, ""),
    (Data(#"{"a":1}"#.utf8), "application/json", #"{"a":1}"#), (Data("[1]".utf8), "application/json", "[1]"),
    (Data("5".utf8), "application/json", "5"), (Data("null".utf8), "application/json", "null"),
    (Data(#""a\"b\u00e9""#.utf8), "application/json", #"a"bé"#),
    (Data(#""a\"b""#.utf8), "Application/Problem+JSON ; charset=utf-8", #"a"b"#),
    (Data(#""a\"b""#.utf8), "text/plain", #""a\"b""#), (Data(#""a"#.utf8), "application/json", #""a"#),
    (Data([0x63, 0x61, 0x66, 0xE9]), "text/plain; charset=ISO-8859-1", "café"),
    (Data([0x63, 0xE9]), #"text/plain; format=flowed; Charset="latin1""#, "cé"),
    (Data([0x80, 0x31]), "text/plain; charset=windows-1252", "€1"), (utf16("é€"), "text/plain; charset=utf-16", "é€"),
    // WHATWG's standard takes Latin-1 for Windows-1252, as browsers do.
    (Data([0x80, 0x31]), "text/plain; charset=ISO-8859-1", "€1"), (Data([0x93]), "text/plain; charset=latin1", "“"),
    (Data([0x80]), "text/plain; charset=iso_8859-1", "€"), (Data([0xE9]), "text/plain; charset=ISO8859-1", "é"),
    (Data([0xE9]), "text/plain; charset=l1", "é"), (Data([0xE9, 0x00]), "text/plain; charset=unicode", "é"),
    (Data("é".utf8), "text/plain; charset=us-ascii", "é"),
    // Without a mark it is big-endian: RFC 2781 §4.3.
    (Data([0x00, 0xE9]), "text/plain; charset=utf-16", "é"),
    (Data([0xE9, 0x00]), "text/plain; charset=utf-16le", "é"),
    (Data([0x00, 0xE9]), "text/plain; charset=utf-16be", "é"),
    (Data([0xEF, 0xBB, 0xBF, 0x68, 0x69]), "text/plain", "hi"), (Data([0x68, 0xFF]), "text/plain", "h\u{FFFD}"),
    (Data("é".utf8), "text/plain; charset=klingon", "é"),
    // One invalid byte is one character, whatever the charset.
    (Data([0x61, 0x81, 0xE9]), "text/plain; charset=windows-1252", "a\u{81}é"),
    (Data([0xFE, 0xFF, 0xD8, 0x00, 0x00, 0x41]), "text/plain; charset=utf-16", "\u{FFFD}A"),
    (Data([0x41, 0x00, 0x42]), "text/plain; charset=utf-16le", "A\u{FFFD}"),
    (Data([0xFF, 0xFE, 0x41, 0x00]), "text/plain; charset=utf-16le", "A"),
    (Data([0xFE, 0xFF, 0x00, 0x41]), "text/plain; charset=utf-16be", "A"),
    (Data([0xFF, 0xFE, 0x41, 0x00]), "text/plain", "A"), (utf16("é€😀"), nil, "é€😀"),
    (Data([0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0]), "text/plain; charset=utf-32", "A"),
    (Data([0, 0, 0, 0x41, 0, 0, 0xD8, 0, 0, 1, 0xF6, 0, 7]), "text/plain; charset=utf-32", "A\u{FFFD}😀\u{FFFD}"),
    (Data([0xE9]), #"text/plain; a="x;charset=utf-8"; charset=latin1"#, "é"),
    (Data([0xE9]), #"text/plain; a="\";charset=utf-8";CHARSET = "Latin1" ;b=c"#, "é"),
    // A character that was cut off, and an invalid byte before the end.
    (Data([0xD6, 0xD0, 0xD6]), "text/plain; charset=gb2312", "中\u{FFFD}"),
    (Data([0xD6, 0xD0, 0xFF, 0x41, 0x42, 0x43, 0x44]), "text/plain; charset=gbk", "中\u{FFFD}ABCD"),
    (Data([0xBA, 0xC3, 0xFF, 0x0D, 0x0A]), "text/plain; charset=gbk", "好\u{FFFD}\r\n"),
    (Data([0xE0, 0x20, 0xE1, 0xFC, 0xE2]), "text/plain; charset=windows-1255", "א ב\u{FFFD}ג"),
    (Data("日本".utf8), "text/plain; charset=euc-jp", "日本"), (Data("日本語".utf8), "text/plain; charset=gbk", "日本語"),
    // The lines before the one that was cut off.
    (
      Data([0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x0A, 0x1B, 0x24, 0x42, 0x46]),
      "text/plain; charset=iso-2022-jp", "日\nF"
    ),
    (
      Data([0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x0A] + [UInt8](repeating: 0x41, count: 9) + [0xFF]),
      "text/plain; charset=iso-2022-jp", "日\nAAAAAAAAA\u{FFFD}"
    ),
    (Data([0x93, 0xFA, 0x20, 0x96, 0x7B, 0x85]), "text/plain; charset=shift_jis", "日 本\u{FFFD}"),
    (Data([0x94, 0x39, 0xFC, 0x36, 0xFF]), "text/plain; charset=gb18030", "😀\u{FFFD}"),
  ]

  /// Charset, bytes and text, from the tables of the WHATWG Encoding Standard.
  private static let charsets: [(String, [UInt8], String)] = [
    ("windows-1250", [0xF8], "ř"), ("Windows-1251", [0xCF, 0xF0], "Пр"), ("windows-1253", [0xE1], "α"),
    ("windows-1254", [0xFE], "ş"), ("windows-1255", [0xE0], "א"), ("windows-1256", [0xC7], "ا"),
    ("windows-1257", [0xE0], "ą"), ("windows-1258", [0xFE], "₫"), ("cp1251", [0xCF], "П"), ("x-cp1250", [0xF8], "ř"),
    ("iso-8859-2", [0xF8], "ř"), ("latin2", [0xF8], "ř"), ("iso8859-3", [0xF8], "ĝ"), ("iso-8859-4", [0xF9], "ų"),
    ("iso-8859-5", [0xBF], "П"), ("iso-8859-6", [0xC7], "ا"), ("iso-8859-7", [0xE1], "α"), ("iso-8859-8", [0xE0], "א"),
    ("iso-8859-9", [0xFE, 0x80], "ş€"), ("iso-8859-10", [0xBD], "―"), ("iso-8859-11", [0xA1, 0x80], "ก€"),
    ("iso-8859-13", [0xE0], "ą"), ("iso-8859-14", [0xA1], "Ḃ"), ("iso_8859-15", [0xA4], "€"),
    ("iso-8859-16", [0xA4], "€"),
    ("latin3", [0xF8], "ĝ"), ("l4", [0xF9], "ų"), ("l5", [0xFE], "ş"), ("latin6", [0xBD], "―"), ("l9", [0xA4], "€"),
    ("cyrillic", [0xBF], "П"), ("arabic", [0xC7], "ا"), ("greek8", [0xE1], "α"), ("iso-8859-8-i", [0xE0], "א"),
    ("iso88595", [0xBF], "П"),
    ("koi8-r", [0xF0], "П"), ("koi8-u", [0xA4], "є"), ("ibm866", [0x8F], "П"), ("x-mac-cyrillic", [0x8F], "П"),
    ("windows-874", [0xA1, 0x80], "ก€"), ("tis-620", [0xA1], "ก"),
    ("gb2312", [0xD6, 0xD0, 0x81, 0x40], "中丂"), ("gbk", [0xD6, 0xD0], "中"),
    ("gb18030", [0xD6, 0xD0, 0x94, 0x39, 0xFC, 0x36], "中😀"), ("big5", [0xA4, 0xA4, 0x8D, 0x69], "中幂"),
    ("shift_jis", [0x93, 0xFA, 0x96, 0x7B, 0x87, 0x40, 0xB1], "日本①ｱ"),
    ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x41], "日A"),
    ("euc-kr", [0xC7, 0xD1, 0x81, 0x41], "한갂"), ("ks_c_5601-1987", [0xC7, 0xD1], "한"),
    // Valid UTF-8, too.
    ("windows-1251", [0xD0, 0x9F], "Рџ"),
  ]

  @Test(arguments: charsets) func aStringIsDecodedByItsCharset(_ charset: String, _ body: [UInt8], _ text: String)
    async throws
  {
    stubbed.answer(Data(body), contentType: "text/plain; charset=\(charset)")
    try await expectEqual(stubbed.client.value(of: "/x", as: String.self), text)
  }

  /// Otherwise the divisions of a large body could take minutes.
  @Test func whatIsDamagedBeyondTheLimitIsTakenForUTF8() {
    func text(_ bytes: [UInt8], _ limit: Int) -> String {
      String(Data(bytes), in: .shiftJIS, conversionLimit: limit)
    }
    let word: [UInt8] = [0x93, 0xFA, 0xFF, 0x93, 0xFA]
    expectEqual(text(word, 100), "日\u{FFFD}日")
    expectEqual(text(word, 3), "日\u{FFFD}\u{FFFD}\u{FFFD}")
    expectEqual(text(word, 1), "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
    // Neither half is divided.
    expectEqual(text([0x93, 0xFA, 0x20, 0x93, 0xFA, 0xFF], 1), "\u{FFFD}\u{FFFD} \u{FFFD}\u{FFFD}\u{FFFD}")
  }

  /// A transport or middleware may cut a piece from a longer one.
  @Test func theIndicesOfBytesBeginAtZero() async throws {
    let slice = Data("0123456789".utf8).dropFirst(4)
    stubbed.answer(slice)
    try await expectEqual(stubbed.client.value(of: "/x", as: Data.self).startIndex, 0)
    stubbed.answer(slice)
    let streamed = SignalRecorder(stubbed.client.stream(request: "/x"))
    await streamed.waitForEnd()
    expectEqual(streamed.values.map(\.value.startIndex).max(), 0)
  }

  @Test(arguments: texts) func aStringIsTheTextOfTheBody(_ body: Data, _ type: String?, _ text: String) async throws {
    stubbed.answer(body, contentType: type)
    try await expectEqual(stubbed.client.value(of: "/x", as: String.self), text)
    let recorder = SignalRecorder(stubbed.client.enqueue(request: "/x", resultType: String.self))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [text])
    expect(recorder.isCompleted)
  }

  @Test func aJSONStringMayBeginWithAByteOrderMark() async throws {
    stubbed.answer(Data([0xEF, 0xBB, 0xBF]) + Data(#""a\"b""#.utf8))
    try await expectEqual(stubbed.client.value(of: "/x", as: String.self), #"a"b"#)
  }

  @Test(arguments: texts.map { ($0.0, $0.1) } + [(png, "image/png")] as [(Data, String?)])
  func dataIsTheBody(_ body: Data, _ type: String?) async throws {
    stubbed.answer(body, contentType: type)
    try await expectEqual(stubbed.client.value(of: "/x", as: Data.self), body)
    _ = try await stubbed.client.value(of: "/x", as: NoContent.self)
    let recorder = SignalRecorder(stubbed.client.enqueue(request: "/x", resultType: NoContent.self))
    await recorder.waitForEnd()
    expectEqual(recorder.values.count, 1)
    expect(recorder.isCompleted)
  }

  @Test func overASocket() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/image") { _ in .data(Self.png, contentType: "image/png") }
    shop.server.route("GET", "/text") { _ in .text("OK") }
    shop.server.route("GET", "/none") { _ in .status(204) }
    let image = try await shop.client.send("/image", as: Data.self)
    expectEqual(image.value, Self.png)
    expectEqual(image.headers["Content-Type"], "image/png")
    try await expectEqual(shop.client.value(of: "/text", as: String.self), "OK")
    try await expectEqual(shop.client.value(of: "/none", as: String.self), "")
    try await expectEqual(shop.client.value(of: "/none", as: Data.self), Data())
    for path in ["/image", "/text", "/none"] {
      try await expectEqual(shop.client.value(of: Request(.get, RequestPath(path)), as: NoContent.self), NoContent())
    }
  }

  private func codes(_ path: String = "/x") async throws -> [String] {
    var codes: [String] = []
    for error in [
      try await stubbed.client.failure(of: Request(.get, RequestPath(path)), as: String.self),
      try await stubbed.client.failure(of: Request(.get, RequestPath(path)), as: Data.self),
      try await stubbed.client.failure(of: Request(.get, RequestPath(path)), as: NoContent.self),
    ] {
      codes.append("\(error.domain) \(error.code)")
      expectEqual(error.response?.value.isEmpty, false)
    }
    return codes
  }

  @Test func aStatusThatIsNoSuccessIsStillAServerError() async throws {
    stubbed.answer("oops", status: 500)
    try await expectEqual(codes(), Array(repeating: "server 500", count: 3))
  }

  @Test func inAnEnvelopeThePayloadIsDecodedAndBytesAreTheWholeBody() async throws {
    let wrapped = Stubbed { $0.stages.envelope = .codeMessageData }
    let body = #"{"code":0,"data":"AQI="}"#
    wrapped.answer(body)
    try await expectEqual(wrapped.client.value(of: "/x", as: String.self), "AQI=")
    try await expectEqual(wrapped.client.value(of: "/x", as: Data.self), Data(body.utf8))
    try await expectEqual(wrapped.client.send("/x").value, Data(body.utf8))
    try await expectEqual(wrapped.client.send("/x").resultCode, "0")
    _ = try await wrapped.client.value(of: "/x", as: NoContent.self)
    wrapped.answer(#"{"code":3,"msg":"no"}"#)
    try await expectEqual(wrapped.client.failure(of: "/x", as: String.self).code, .api(3))
    try await expectEqual(wrapped.client.failure(of: "/x", as: Data.self).domain, .api)
    try await expectEqual(wrapped.client.failure(of: "/x", as: NoContent.self).domain, .api)
  }

  @Test func aPlainEnvelopeIsNone() async throws {
    stubbed.answer("OK", status: 200)
    let plain = Request(.get, "/x", options: .with { $0.stages = Stages(envelope: .plain) })
    try await expectEqual(stubbed.client.value(of: plain, as: String.self), "OK")
  }

  @Test func anOptionalTakesTheSameBodies() async throws {
    stubbed.answer(Data("OK".utf8), contentType: "text/plain")
    let text = try await stubbed.client.value(of: "/x", as: String?.self)
    expectEqual(text, "OK")
  }

  @Test(arguments: ["null", "null\n", " null\r\n", "\t null ", "\u{FEFF}null"])
  func anOptionalIsNilForNull(_ body: String) async throws {
    stubbed.answer(body)
    let text = try await stubbed.client.value(of: "/x", as: String?.self)
    let data = try await stubbed.client.value(of: "/x", as: Data?.self)
    expectNil(text)
    expectNil(data)
  }

  @Test(
    arguments: [
      ("null\n", "text/plain", "null\n"), (#""null""#, "application/json", "null"),
      ("nulls", "application/json", "nulls"), ("null null", "application/json", "null null"),
    ])
  func anOptionalIsTheTextOfWhatOnlyBeginsLikeNull(_ body: String, _ type: String, _ expected: String) async throws {
    stubbed.answer(Data(body.utf8), contentType: type)
    let text = try await stubbed.client.value(of: "/x", as: String?.self)
    let data = try await stubbed.client.value(of: "/x", as: Data?.self)
    expectEqual(text, expected)
    expectEqual(data, Data(body.utf8))
  }
}
