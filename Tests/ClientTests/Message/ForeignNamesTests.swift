import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// Names of a server become keys only if they are tokens: with a text that is not ASCII, a few kilobytes could occupy a
/// thread for minutes.
struct ForeignNamesTests {
  private let marks = String(repeating: "\u{301}\u{323}", count: 3)

  @Test func parametersOfLinksAreTokens() {
    let headers: HTTPHeaders = ["Link": "</b>; a\(marks)=1; rel=next; b\(marks)=\"x, y\"; c, </d>; \u{E4}; rel=last"]
    expectEqual(headers.links.map(\.parameters), [["rel": "next", "c": ""], ["rel": "last"]])
    expectEqual(WebLink(target: "/", parameters: ["rel": "next a\(marks) Last"]).relations, ["next", "last"])
  }

  @Test func parametersOfChallengesAreTokens() {
    let challenges = AuthenticationChallenge.all(in: ["Digest realm=\"a\", x\(marks)=1, nonce=2, Dig\(marks)est y=3"])
    expectEqual(challenges.map(\.scheme), ["digest", ""])
    expectEqual(challenges.map(\.parameters), [["realm": "a", "nonce": "2"], ["y": "3"]])
  }

  @Test func aMediaTypeIsASCII() throws {
    expectEqual(" Text/Plain ; charset=x".mediaType, "text/plain")
    expectEqual("".mediaType, "")
    // A field that was sent twice; browsers take the last valid value, too.
    expectEqual("application/json; profile=https://a/x,https://b/y".mediaType, "application/json")
    expectEqual("application/json, */*".mediaType, "application/json")
    expectEqual("text/event-stream, text/event-stream".mediaType, "text/event-stream")
    expectEqual("text/html; charset=utf-8, application/json; charset=utf-16".mediaType, "application/json")
    expectEqual("text/html; charset=utf-8, text/html; charset=UTF-16".charset, "utf-16")
    expectEqual("text/plain; name=\"a, b/c\"; charset=utf-16, ".mediaType, "text/plain")
    expectEqual("text/plain, ".mediaType, "text/plain")
    expectEqual("a\(marks)/b; charset=utf-8".mediaType, "?")
    expectEqual("a\(marks)/b".loggedMediaType, "malformed")
    let url = try require(URL(string: "https://a.example/"))
    let head = HTTPResponse(statusCode: 200, headers: ["Content-Type": "a\(marks)"], url: url)
    let validator = ContentTypeValidator(accepted: ["", "text/plain"])
    #expect(throws: NetworkError.self) { try validator.validate(Response(value: Data("b".utf8), head: head)) }
  }

  @Test func attributesOfCookiesAreTokens() throws {
    let cookie = try require(SetCookie("a=b; sec\(marks)ure; \u{E4}=1; Path=/x; HttpOnly"))
    expectEqual(cookie.path, "/x")
    expect(cookie.isHTTPOnly && !cookie.isSecure)
  }

  @Test func codingsAndCharsetsAreASCII() throws {
    #if HELIOGRAPH_CURL
    try expectNil(ContentDecoder("gz\(marks)ip", [.gzip]))
    #endif
    expectEqual(String(Data([0xE4]), charset: "latin\(marks)1"), "\u{FFFD}")
  }

  @Test func aLongForeignNameIsThatOfASecret() {
    expect(!"größe".namesSecretParameter)
    expect(("a" + String(repeating: "\u{301}\u{323}", count: 100)).namesSecretParameter)
    expect(!String(repeating: "n", count: 400).namesSecretParameter)
  }

  /// A head may name thousands of fields, and have thousands.
  @Test func fieldsOfTheConnectionAreNotStored() {
    let names = (0..<3_000).map { "B-\($0)" }
    var headers = HTTPHeaders(names.map { HTTPHeaders.Field(name: $0.lowercased(), value: "1") })
    headers.add("c\(marks), \(names.joined(separator: ", "))", for: "Connection")
    headers.add("2", for: "ETag")
    expectEqual(headers.storable, ["ETag": "2"])
    let control = CacheControl(["Cache-Control": "no-cache=\"\(names.joined(separator: ","))\""])
    expectEqual(headers.storable.withoutFields(of: control), ["ETag": "2"])
    expectEqual((headers.withoutFields(of: control)).count, 2)
  }
}
