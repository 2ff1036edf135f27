#if HELIOGRAPH_CURL
import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// One content coding, a piece at a time.
struct InflaterTests {
  /// A gzip member without data: 20 bytes.
  private let empty: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3] + [UInt8](repeating: 0, count: 9)

  @Test(.enabled(if: ContentCoding.gzip.isSupported)) func membersWithoutDataLeaveOthersTheirTurns() throws {
    let inflater = try Inflater(.gzip)
    inflater.feed(Data((0..<200).flatMap { _ in empty }))
    for _ in 0..<3 { try expectEqual(inflater.next(), Data()) }
    try expectNil(inflater.next())
    expect(inflater.isAtEnd)
    inflater.feed(Compressed.gzip)
    try expectEqual(inflater.next(), Compressed.plain)
  }

  @Test(.enabled(if: ContentCoding.gzip.isSupported), arguments: ["padding", "members", "blocks"])
  func anEndlessBodyWithoutDataEnds(_ kind: String) throws {
    let decoder = try require(ContentDecoder("gzip", [.gzip], surplusByteLimit: 100_000))
    var piece = Data(count: 1000)
    switch kind {
    case "members": piece = Data((0..<50).flatMap { _ in empty })
    case "blocks":
      decoder.feed(Data(empty.prefix(10)))
      // RFC 1951 §3.2.4: stored blocks of no bytes.
      piece = Data((0..<200).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] })
    default: break
    }
    if kind != "blocks" { decoder.feed(Compressed.gzip) }
    var (byteCount, error): (Int, NetworkError?) = (0, nil)
    while error == nil, byteCount < 200_000 {
      decoder.feed(piece)
      byteCount += piece.count
      do throws(NetworkError) { while try decoder.next() != nil {} } catch let failure { error = failure }
    }
    expectEqual(error?.code, .responseTooLarge)
    // Twice the body is added.
    expect((100_000..<104_000).contains(byteCount), "\(byteCount)")
  }

  @Test(.enabled(if: ContentCoding.gzip.isSupported)) func aCodingMayHaveTheLimitMoreThanTwiceTheBody() throws {
    let decoder = try require(ContentDecoder("gzip", [.gzip], surplusByteLimit: 1_000))
    // RFC 1951 §3.2.4: a stored block of 60,000 bytes, and one of none.
    let block = Data([0, 0x60, 0xEA, 0x9F, 0x15]) + Data(count: 60_000)
    let none: [UInt8] = [0, 0, 0, 0xFF, 0xFF]
    let padding = (0..<(481_000 - 10 - 4 * block.count) / none.count).flatMap { _ in none }
    decoder.feed(Data(empty.prefix(10)) + block + block + block + block + Data(padding))
    var byteCount = 0
    while let piece = try decoder.next() { byteCount += piece.count }
    expectEqual(byteCount, 240_000)
    decoder.feed(Data(none))
    let error = #expect(throws: NetworkError.self) { while try decoder.next() != nil {} }
    expectEqual(error?.code, .responseTooLarge)
  }
}
#endif
