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
}
#endif
