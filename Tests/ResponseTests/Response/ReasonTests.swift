import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// What a developer is told of a body that cannot be read, and what of that no log gets.
struct ReasonTests {
  private struct Item: Decodable, Sendable {
    enum Kind: String, Decodable { case lamp }
    let kind: Kind
  }

  private func failure<Value: Decodable & Sendable>(
    _ body: String, _ type: Value.Type, contentType: String? = "application/json", coding: String? = nil,
    stages: Stages = Stages(), bytes: Data? = nil, json: JSONCoding = JSONCoding()
  ) async throws -> NetworkError {
    let stub = StubTransport()
    var headers: HTTPHeaders = [:]
    headers["Content-Type"] = contentType
    headers["Content-Encoding"] = coding
    stub.on(.get, "/", StubAnswer([.head(status: 200, headers: headers), .body(bytes ?? Data(body.utf8))]))
    var configuration = NetworkClient.Configuration(transport: stub)
    configuration.json = json
    configuration.stages = stages
    let recorder = SignalRecorder(
      NetworkClient(configuration).enqueue(request: "https://a.example/", resultType: type))
    await recorder.waitForEnd()
    return try require(recorder.failure)
  }

  @Test("S2-16") func aPageInPlaceOfJSONIsNamedByItsTypeAndItsBeginning() async throws {
    let page = "<html>\n<h1>Sign in to hunter2</h1>" + String(repeating: "例", count: 1_000)
    let error = try await failure(page, Item.self, contentType: "text/html; charset=utf-8")
    expectEqual(error.code, .malformedBody)
    expect(
      error.reason.contains(
        "unexpected character: expected a value, at byte 0, decoding Item, Content-Type text/html; charset=utf-8: <html>"
      ))
    expect(error.reason.contains(#"<html>\n<h1>Sign in to hunter2"#))
    expect(error.reason.utf8.count < 400)
    expect(error.description.contains("Content-Type text/html; charset=utf-8 (GET https://a.example/)"))
    expectHidden("hunter2", in: error)
    expectHidden("hunter2", in: (error as NSError).userInfo)
    expectEqual(error.failureReason?.contains("hunter2"), false)
    let coded = try await failure("<", Item.self, contentType: "text/html", coding: "br")
    expect(coded.reason.hasSuffix("Content-Type text/html, Content-Encoding br: <"))
    let none = try await failure("<", Item.self, contentType: nil)
    expect(none.reason.hasSuffix("no Content-Type: <"))
  }

  @Test func theWordsThatADecoderQuotesAreInNoLog() async throws {
    let error = try await failure(#"{"kind":"hunter2"}"#, Item.self)
    expectEqual(error.code, .unexpectedShape)
    expect(error.reason.hasPrefix("kind is not valid, decoding Item, Content-Type application/json: "))
    expect(error.reason.contains("hunter2"))
    expect("\(error)".contains("kind is not valid, decoding Item, Content-Type application/json (GET"))
    expectHidden("hunter2", in: error)
    expectHidden("hunter2", in: (error as NSError).userInfo)
  }

  @Test func theBeginningOfABodyIsReadByItsCharset() async throws {
    let page = "<html>"
    let utf16 = Data([0xFF, 0xFE] + page.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    let marked = try await failure("", Item.self, bytes: utf16)
    expect(marked.reason.contains("<html>"), "\(marked.reason)")
    let latin = try await failure(
      "", Item.self, contentType: "text/html; charset=iso-8859-1", bytes: Data("<caf".utf8 + [0xE9]))
    expect(latin.reason.contains("<café"), "\(latin.reason)")
  }

  private struct Counted: Decodable, Sendable { let pageCount: Int }

  /// A fault that Foundation does not mind is not the cause.
  @Test(
    arguments: [
      (#"{"pageCount":1.5,"other":"\ud83d"}"#, .unexpectedShape, "pageCount: the number does not fit"),
      (#"{"pageCount":1.5,}"#, .unexpectedShape, "pageCount: the number does not fit"),
      (#"{"other":"\q","pageCount":1e400}"#, .unexpectedShape, "pageCount: the number does not fit"),
      (#"{"pageCount":01}"#, .malformedBody, "number with a leading zero, at byte "),
      (#"{"pageCount":1.5"#, .malformedBody, "unterminated array or object, at byte "),
    ] as [(String, NetworkError.Code, String)])
  func ofTwoFaultsTheOneThatCountsIsNamed(
    _ body: String, _ code: NetworkError.Code, _ reason: String
  ) async throws {
    for (body, keys) in [
      (body, .asDeclared), (body.replacingOccurrences(of: "pageCount", with: "page_count"), .snakeCase),
    ] as [(String, JSONCoding.Keys)] {
      let error = try await failure(body, Counted.self, json: JSONCoding(keys: keys))
      expectEqual(error.code, code, "\(error)")
      expect(error.reason.hasPrefix(reason), "\(error.reason)")
    }
  }

  /// Foundation decodes all names of an object, and the path in a large body ends early.
  @Test func aFaultBelowThePathIsTheCause() async throws {
    struct Page: Decodable, Sendable {
      var pageCount: Int?
      var list: [String]?
    }
    struct Body: Decodable, Sendable { let data: Page }
    let padding = String(repeating: "x", count: 9_000_000)
    for body in [#"{"data":{"pageCount":1,"\ud83d":1}}"#, #"{"data":{"list":["\ud83d"]},"pad":"\#(padding)"}"#] {
      let error = try await failure(body, Body.self)
      expectEqual(error.code, .malformedBody, "\(error)")
      expect(error.reason.hasPrefix("unpaired surrogate, at byte "), "\(error.reason.prefix(200))")
    }
  }

  /// The text is JSON, and there is no path to name: the type itself has refused it.
  @Test func whatTheTypeOfTheWholeBodyRefusesIsOfAnotherShape() async throws {
    enum Kind: String, Decodable, Sendable { case lamp }
    struct Refusing: Decodable, Sendable {
      init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "hunter2 is no lamp"))
      }
    }
    let refused = [
      (try await failure(#""sofa""#, Kind.self), "invalid String value sofa"),
      (try await failure(#""2026-01-02""#, Date.self), "the text is not a date and time with an offset (RFC 3339)"),
      (try await failure(#"{"a":1}"#, Refusing.self), "hunter2 is no lamp"),
    ]
    for (error, text) in refused {
      expectEqual(error.code, .unexpectedShape, "\(error)")
      expect(error.reason.hasPrefix("the root is not valid, decoding "))
      expect(error.reason.contains(text))
      expectHidden(text, in: error)
      expectHidden(text, in: (error as NSError).userInfo)
    }
    let malformed = [
      try await failure("sofa", Kind.self), try await failure("yesterday", Date.self),
      try await failure(#"{"a":"#, Refusing.self),
    ]
    for error in malformed { expect(error.code == .malformedBody, "\(error)") }
  }

  @Test func whatAnotherDecoderSaysIsInNoLog() async throws {
    struct Oops: Error { let text: String }
    struct Other: BodyDecoder {
      func decode<Value: Decodable>(
        _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
      ) throws -> Value { throw Oops(text: String(decoding: body, as: UTF8.self)) }
    }
    let error = try await failure("hunter2", Item.self, stages: Stages(decoder: Other()))
    expect(error.reason.contains("hunter2"))
    expect("\(error)".contains("the decoder threw Oops"))
    expectHidden("hunter2", in: error)
    expectHidden("hunter2", in: (error as NSError).userInfo)
  }

  /// What it quotes is in no log.
  @Test func theErrorOfAClosureIsNamed() async throws {
    let stub = StubTransport()
    stub.on(.get, "/", .json(#"{"title":"hunter2"}"#))
    let client = NetworkClient(.init(transport: stub))
    let transformed = SignalRecorder(
      client.enqueue(
        request: "https://a.example/", transform: { try JSONDecoder().decode([String: Int].self, from: $0.value).count }
      ))
    await transformed.waitForEnd()
    let task = SignalRecorder(
      Signal<Int, NetworkError>.task { () async throws -> Int in
        struct Oops: Error { let text: String }
        throw Oops(text: "hunter2")
      })
    await task.waitForEnd()
    for (error, name, quoted) in [
      (try require(transformed.failure), "`transform` threw DecodingError", "title"),
      (try require(task.failure), "the task's closure threw Oops", "hunter2"),
    ] {
      expectEqual(error.code, .transformFailed)
      expect(error.description.contains(name), "\(error)")
      expect(error.reason.contains(quoted), "\(error.reason)")
      expectHidden(quoted, in: error)
    }
  }

  @Test func theFailedConnectionOfAnotherLibraryIsNoFaultOfAClosure() async {
    let task = SignalRecorder(
      Signal<Int, NetworkError>.task { () async throws -> Int in throw URLError(.notConnectedToInternet) })
    await task.waitForEnd()
    expectEqual(task.failure?.isOffline, true)
    expectEqual((task.failure?.underlying as? URLError)?.code, .notConnectedToInternet)
  }

  /// A recursive type, and a body that drives the search for a fault to each of its levels.
  @Test func theSearchForAFaultIsBounded() throws {
    final class Node: Decodable {
      nonisolated(unsafe) static var count = 0
      let next: Node?
      let id: Int?

      private enum CodingKeys: CodingKey { case next, id }

      init(from decoder: any Decoder) throws {
        Node.count += 1
        let container = try decoder.container(keyedBy: CodingKeys.self)
        next = try container.decodeIfPresent(Node.self, forKey: .next)
        id = try container.decodeIfPresent(Int.self, forKey: .id)
      }
    }
    let depth = 400
    func body(_ padding: Int) -> Data {
      let start = String(repeating: #"{"next":"#, count: depth)
      let text = start + #"{"id":1.5}"# + String(repeating: "}", count: depth)
      return Data((text + String(repeating: " ", count: padding)).utf8)
    }
    // Small: 32 levels, because each takes some kilobytes of the stack.
    expectEqual(JSONDecoder().faultPath(of: Node.self, in: body(0))?.count, 33)
    // 4 MiB: four levels, and the path ends there.
    Node.count = 0
    let path = JSONDecoder().faultPath(of: Node.self, in: body(4_194_304))
    expect((1...8).contains(path?.count ?? 0))
    expect(Node.count <= 8 * (depth + 1))
  }
}
