import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct LineSplitterTests {
  /// The lines of a text in pieces, and the error after them.
  private func split(
    _ pieces: [Data], _ lineBreaks: LineSplitter.LineBreaks, limit: Int = 1_000_000
  ) -> (lines: [String], error: NetworkError?) {
    var splitter = LineSplitter(lineBreaks, limit: limit)
    var lines: [String] = []
    do throws(NetworkError) {
      for piece in pieces {
        splitter.append(piece)
        while let line = try splitter.next() { lines.append(String(decoding: line, as: UTF8.self)) }
      }
      if let line = try splitter.finish() { lines.append(String(decoding: line, as: UTF8.self)) }
      return (lines, nil)
    } catch {
      return (lines, error)
    }
  }

  private func lines(_ pieces: String..., by lineBreaks: LineSplitter.LineBreaks = .lineFeeds) -> [String] {
    split(pieces.map { Data($0.utf8) }, lineBreaks).lines
  }

  /// The byte order mark is no part of the line, wherever the pieces end.
  @Test(arguments: ["\n", "\r\n"]) func aLineAtTheLimitAfterAByteOrderMark(_ lineBreak: String) {
    let text = Data("\u{FEFF}0123456789\(lineBreak)".utf8)
    for lineBreaks in [LineSplitter.LineBreaks.all, .lineFeeds] {
      for index in 0...text.count {
        let (lines, error) = split([text.prefix(index), text.dropFirst(index)], lineBreaks, limit: 10)
        expectEqual(lines, ["0123456789"], "\(lineBreaks) \(index)")
        expectNil(error)
        let (none, excess) = split([text.prefix(index), text.dropFirst(index)], lineBreaks, limit: 9)
        expect(none.isEmpty)
        expectEqual(excess?.code, .responseTooLarge)
      }
    }
  }

  @Test func lineFeedsAndCRLFEndLines() {
    expectEqual(lines("a\nb\r\n\nc"), ["a", "b", "", "c"])
    expectEqual(lines("a\n"), ["a"])
    expectEqual(lines(""), [])
    expectEqual(lines("\n"), [""])
    expectEqual(lines("\r\n\r\n"), ["", ""])
  }

  @Test func aCarriageReturnAloneEndsOnlyALineOfEvents() {
    expectEqual(lines("a\rb\r\nc\r"), ["a\rb", "c\r"])
    expectEqual(lines("a\rb\r\nc\r", by: .all), ["a", "b", "c"])
    expectEqual(lines("a\n\rb", by: .all), ["a", "", "b"])
    expectEqual(lines("a\r\r\n\nb", by: .all), ["a", "", "", "b"])
  }

  @Test func aLineBreakMayBeCutByAPiece() {
    expectEqual(lines("a\r", "\nb"), ["a", "b"])
    expectEqual(lines("a\r", "\nb", by: .all), ["a", "b"])
    expectEqual(lines("a\r", "", "\n", "\n", by: .all), ["a", ""])
    expectEqual(lines("a\r", "b", by: .all), ["a", "b"])
  }

  @Test func aLineThatEndsWithACarriageReturnIsCompleteBeforeTheNextPiece() throws {
    var splitter = LineSplitter(.all, limit: 10)
    splitter.append(Data("a\r".utf8))
    try expectEqual(splitter.next(), Data("a".utf8))
    try expectNil(splitter.next())
  }

  @Test func aCharacterCutByAPieceIsWhole() {
    let bytes = Data("a€😀\n".utf8)
    for index in 0...bytes.count {
      expectEqual(split([bytes.prefix(index), bytes.dropFirst(index)], .lineFeeds).lines, ["a€😀"])
    }
  }

  @Test func invalidBytesAreReplaced() {
    let pieces = [Data([0x61, 0xFF, 0x62, 0xE2]), Data([0x82, 0x0A, 0xC3])]
    expectEqual(split(pieces, .lineFeeds).lines, ["a\u{FFFD}b\u{FFFD}", "\u{FFFD}"])
  }

  @Test func oneByteOrderMarkIsRemovedAtTheBeginning() {
    expectEqual(lines("\u{FEFF}a\n\u{FEFF}b"), ["a", "\u{FEFF}b"])
    expectEqual(lines("\u{FEFF}\u{FEFF}a\n"), ["\u{FEFF}a"])
    expectEqual(split(Data("\u{FEFF}a\n".utf8).map { Data([$0]) }, .all).lines, ["a"])
    expectEqual(lines("\u{FEFF}"), [])
    expectEqual(lines("\u{FEFF}a"), ["a"])
  }

  @Test(arguments: [1, 2, 3, 100]) func aLineBeyondTheLimitIsAnError(_ pieceLength: Int) {
    func outcome(_ text: String, _ lineBreaks: LineSplitter.LineBreaks) -> (lines: [String], error: NetworkError?) {
      split(Data(text.utf8).parts(of: pieceLength), lineBreaks, limit: 4)
    }
    for lineBreaks in [LineSplitter.LineBreaks.lineFeeds, .all] {
      let fitting = outcome("abcd\nabcd\r\nabcd", lineBreaks)
      expectEqual(fitting.lines, ["abcd", "abcd", "abcd"])
      expectNil(fitting.error)
      for text in ["ab\nabcde\nab", "ab\nabcde\r\n", "ab\nabcde", "ab\nabcdef"] {
        let outcome = outcome(text, lineBreaks)
        expectEqual(outcome.lines, ["ab"])
        expectEqual(outcome.error?.code, .responseTooLarge)
        expectEqual(outcome.error?.reason, "line over the limit of 4 bytes")
      }
    }
  }

  @Test func aLineWithoutEndFailsBeforeTheEndOfTheText() {
    var splitter = LineSplitter(.all, limit: 1_000)
    #expect(throws: NetworkError.self) {
      for _ in 0..<11 {
        splitter.append(Data(count: 100))
        _ = try splitter.next()
      }
    }
  }

  @Test func aLineOfManyPiecesTakesLinearTime() {
    let piece = Data("abcdefgh".utf8)
    let factor = growth(from: 2_000, to: 32_000) { count in
      let result = split(Array(repeating: piece, count: count) + [Data("\n".utf8)], .all, limit: .max)
      expectEqual(result.lines.map(\.utf8.count), [count * 8])
    }
    expect(factor < 64, "\(factor)")
  }

  @Test func anyPiecesOfAnyBytesGiveTheSameLines() {
    var dice = ParameterDice()
    let alphabet = [UInt8](arrayLiteral: 0x0A, 0x0A, 0x0D, 0x0D, 0x61, 0x62, 0x20, 0xEF, 0xBB, 0xBF, 0xE2, 0xFF, 0)
    for round in 0..<3_000 {
      let bytes = Data((0..<dice.count(40)).map { _ in alphabet[dice.count(alphabet.count - 1)] })
      let limit = round % 3 == 0 ? dice.count(6) : 1_000
      for lineBreaks in [LineSplitter.LineBreaks.lineFeeds, .all] {
        let whole = split([bytes], lineBreaks, limit: limit)
        let pieces = split(bytes.parts(upTo: 5, &dice), lineBreaks, limit: limit)
        expectEqual(whole.lines, pieces.lines, "\(Array(bytes)), \(dice.seed)")
        expectEqual(whole.error?.code, pieces.error?.code, "\(Array(bytes)), \(dice.seed)")
      }
    }
  }
}
