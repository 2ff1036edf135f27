import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct MultipartTests {
  private func bytes(_ multipart: Multipart) throws -> (Data, String) {
    let (body, contentType) = try multipart.body()
    guard case .data(let data) = body else {
      Issue.record("is not in memory")
      return (Data(), contentType)
    }
    return (data, contentType)
  }

  private func code(_ multipart: Multipart) -> NetworkError.Code? {
    do throws(NetworkError) {
      _ = try multipart.body()
      return nil
    } catch {
      expectEqual(error.domain, .client)
      return error.code
    }
  }

  @Test("S0-20") func writesTheBytesOfRFC7578() throws {
    var upload = Multipart([.text("title", "Lämp\r\n")], boundary: "-q")
    upload.append(.data("photo", Data([0, 255]), fileName: "a.PNG"))
    upload.append(.data("raw", Data("x".utf8), contentType: "a/b; c=d"))
    let (data, contentType) = try bytes(upload)
    expectEqual(contentType, "multipart/form-data; boundary=-q")
    var expected = Data("---q\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nLämp\r\n\r\n".utf8)
    expected += Data("---q\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.PNG\"\r\n".utf8)
    expected += Data("Content-Type: image/png\r\n\r\n".utf8) + Data([0, 255]) + Data("\r\n".utf8)
    expected += Data("---q\r\nContent-Disposition: form-data; name=\"raw\"\r\n".utf8)
    expected += Data("Content-Type: a/b; c=d\r\n\r\nx\r\n---q--\r\n".utf8)
    expectEqual(data, expected)
  }

  @Test func nothingIsOnlyTheEnd() throws {
    expectEqual(Multipart(), [])
    try expectEqual(bytes(Multipart(boundary: "b")).0, Data("--b--\r\n".utf8))
  }

  @Test(arguments: [
    ("a\"b", "a%22b"), ("a\r\nX: y", "a%0D%0AX: y"), ("a\r", "a%0D"), ("a\0b", "a%00b"), ("né日🙂", "né日🙂"),
    ("100%22", "100%22"), ("a\\", "a\\"), ("", ""), ("\u{36C}a\"\u{301}", "\u{36C}a%22\u{301}"),
  ])
  func writesNamesAsBrowsersDo(_ name: String, _ expected: String) throws {
    let (data, contentType) = try bytes([.data(name, Data(), fileName: name)])
    let part = try require(MultipartReader.parts(of: data, contentType: contentType)?.first)
    let line = "form-data; name=\"\(expected)\"; filename=\"\(expected)\""
    expectEqual(part.disposition.map { Array($0.utf8) }, Array(line.utf8))
    expectEqual(part.fields.count, 2)
  }

  @Test(arguments: ["a/b\r\nX: y", "a/b\n", "\r", "a\0"]) func refusesContentTypesThatEndTheLine(_ type: String) {
    expectEqual(code([.data("a", Data(), contentType: type)]), .invalidHeader)
  }

  @Test(arguments: [
    ("a.jpeg", "image/jpeg"), ("a.tar.GZ", "application/gzip"), ("a", "application/octet-stream"),
    ("a.", "application/octet-stream"), ("a.unknown", "application/octet-stream"), (".json", "application/json"),
  ])
  func guessesWhatAFileIs(_ name: String, _ type: String) throws {
    let (data, contentType) = try bytes([.data("a", Data(), fileName: name)])
    expectEqual(MultipartReader.parts(of: data, contentType: contentType)?.first?.type, type)
  }

  @Test("S0-23") func theSamePartsGiveTheSameBytes() throws {
    let make = { Multipart([.text("a", "1"), .data("b", Data(count: 1_000), fileName: "b.bin")]) }
    try expect(make().body() == make().body())
    try expectEqual(bytes(make()).1, "multipart/form-data; boundary=heliograph-859587c69126cf7abe948d7151e49e76")
    let streamed: Multipart = [.stream("a", BodyStream { { .empty } })]
    try expectEqual(streamed.body().contentType, streamed.body().contentType)
  }

  /// The first choice depends on names and lengths alone, so its text can be put into the content.
  @Test func contentWithTheFirstBoundaryGetsAnother() throws {
    let first = try bytes([.text("a", String(repeating: " ", count: 43))]).1
    let boundary = String(first.dropFirst("multipart/form-data; boundary=".count))
    expectEqual(boundary.utf8.count, 43)
    let second = try bytes([.text("a", boundary)])
    expect(second.1 != first)
    expectEqual(second.1, (try bytes([.text("a", boundary)]).1))
    expectEqual(MultipartReader.parts(of: second.0, contentType: second.1)?.map(\.content), [Data(boundary.utf8)])
  }

  @Test(arguments: ["b", "xxb", "bxx", "\r\n--b"]) func refusesABoundaryThatOccurs(_ text: String) {
    expectEqual(code(Multipart([.text("x", text)], boundary: "b")), .invalidBody)
    expectEqual(code(Multipart([.text(text, "x")], boundary: "b")), .invalidBody)
  }

  @Test(arguments: ["", "a b", "a\r\n", "a\"", "é", "a;b", String(repeating: "a", count: 71)])
  func refusesWhatIsNoBoundary(_ boundary: String) {
    expectEqual(code(Multipart(boundary: boundary)), .invalidHeader)
  }

  @Test("S0-20") func refusesWhatIsNoFile() throws {
    let folder = FileManager.default.temporaryDirectory
    for url in [
      folder.appendingPathComponent(UUID().uuidString), folder, URL(fileURLWithPath: "/dev/null"),
      try require(URL(string: "http://a.example/b")),
    ] {
      expectEqual(code([.file("a", url)]), .invalidBody, "\(url)")
    }
  }

  @Test func aFormInMemoryIsDataWhateverItsSize() throws {
    for count in [1, 2 << 20] {
      let form: Multipart = [.data("a", Data(count: count)), .text("b", "c")]
      guard case .data(let data) = try form.body().body else {
        Issue.record("is no data")
        return
      }
      expect(data.count > count)
    }
    let unknown: Multipart = [.text("a", ""), .stream("b", BodyStream { { .empty } })]
    try expectNil(unknown.body().body.byteCount)
    let known: Multipart = [.stream("b", BodyStream(byteCount: 7) { { .empty } })]
    try expect(known.body().body.byteCount != nil)
    let absurd = Multipart(
      repeatElement(.stream("b", BodyStream(byteCount: .max) { { .empty } }), count: 2).map(\.self))
    try expectNil(absurd.body().body.byteCount)
  }
}
