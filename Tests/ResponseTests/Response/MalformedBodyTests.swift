import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Bodies that are not what was asked for, from `Tests/Fixtures/malformed.txt`: an error of the right domain each time,
/// which keeps the body.
struct MalformedBodyTests {
  enum Kind: String, Sendable { case text, part, lax, shape }

  struct Body: Sendable, CustomTestStringConvertible {
    let kind: Kind
    let name: String
    let bytes: Data

    var testDescription: String { "\(kind): \(name)" }
  }

  static let all: [Body] = {
    guard let text = try? Repository.text(of: "Tests/Fixtures/malformed.txt") else { return [] }
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let parts = line.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3, let kind = Kind(rawValue: parts[0]) else { return nil }
      return Body(kind: kind, name: parts[1], bytes: bytes(of: parts[2]))
    }
  }()

  private static func bytes(of text: String) -> Data {
    var rest = text.utf8[...]
    var bytes = Data()
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), let escaped = UInt8(digits, radix: 16) {
        bytes.append(escaped)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  @Test func thereAreAHundredAndEachHasANameOfItsOwn() {
    expect(Self.all.count { $0.kind != .shape } >= 100)
    expectEqual(Self.all.count, Set(Self.all.map(\.testDescription)).count)
  }

  private func check<Result: Decodable & Sendable>(
    _ type: Result.Type, _ body: Body, _ shop: Shop, isWrapped: Bool = false
  ) async throws {
    let recorder = await shop.products("/product", as: type)
    if body.kind == .lax, recorder.isCompleted { return }
    let error = try require(recorder.failure, "\(type): \(recorder.values)")
    expect(recorder.violations.isEmpty)
    expectEqual(error.domain, .processing)
    expect(isWrapped || [.malformedBody, .unexpectedShape].contains(error.code), "\(error)")
    expectEqual(error.response?.value, body.bytes)
    expect(!error.message.isEmpty)
    expect(!error.reason.isEmpty)
  }

  @Test("S0-9", arguments: all) func isAnErrorThatKeepsTheBody(_ body: Body) async throws {
    let shop = try Shop()
    shop.server.route("GET", "/product") { _ in .json(body.bytes) }
    try await check(Product.self, body, shop)
    try await check([Product].self, body, shop)
    if body.kind != .shape { try await check(JSON.self, body, shop) }
  }

  @Test("S0-9", arguments: all.filter { $0.kind != .shape }) func isAnErrorInsideOfAnEnvelopeToo(_ body: Body)
    async throws
  {
    let shop = try Shop { $0.stages.envelope = .codeMessageData }
    shop.server.route("GET", "/product") { _ in .json(body.bytes) }
    try await check(Product.self, body, shop, isWrapped: true)
  }

  @Test("S0-9", arguments: all) func isRefusedByTheJSONReaderWithAPlace(_ body: Body) throws {
    let fault = JSON.fault(in: body.bytes)?.reason
    if body.kind == .shape {
      expectNil(fault)
      #expect(throws: Never.self) { try JSON(data: body.bytes) }
    } else {
      let reason = try require(fault)
      expect(reason.contains(", at byte "))
      expect([.text, .lax].contains(body.kind) || reason.hasPrefix("id: ") || reason.hasPrefix("name: "), "\(reason)")
      let error = #expect(throws: NetworkError.self) { try JSON(data: body.bytes) }
      expectEqual(error?.domain, .processing)
    }
  }
}
