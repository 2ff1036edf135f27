import Foundation
import Testing

@testable import Heliograph

@Suite struct LineSplitterTests {
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
      if let line = try splitter.last() { lines.append(String(decoding: line, as: UTF8.self)) }
      return (lines, nil)
    } catch {
      return (lines, error)
    }
  }

  private func lines(_ pieces: String..., by lineBreaks: LineSplitter.LineBreaks = .lineFeeds) -> [String] {
    split(pieces.map { Data($0.utf8) }, lineBreaks).lines
  }

  @Test func lineFeedsAndCRLFEndLines() {
    #expect(lines("a\nb\r\n\nc") == ["a", "b", "", "c"])
    #expect(lines("a\n") == ["a"])
    #expect(lines("") == [] && lines("\n") == [""] && lines("\r\n\r\n") == ["", ""])
  }

  @Test func aCarriageReturnAloneEndsOnlyALineOfEvents() {
    #expect(lines("a\rb\r\nc\r") == ["a\rb", "c\r"])
    #expect(lines("a\rb\r\nc\r", by: .all) == ["a", "b", "c"])
    #expect(lines("a\n\rb", by: .all) == ["a", "", "b"])
    #expect(lines("a\r\r\n\nb", by: .all) == ["a", "", "", "b"])
  }

  @Test func aLineBreakMayBeCutByAPiece() {
    #expect(lines("a\r", "\nb") == ["a", "b"])
    #expect(lines("a\r", "\nb", by: .all) == ["a", "b"])
    #expect(lines("a\r", "", "\n", "\n", by: .all) == ["a", ""])
    #expect(lines("a\r", "b", by: .all) == ["a", "b"])
  }

  @Test func aLineThatEndsWithACarriageReturnIsCompleteBeforeTheNextPiece() throws {
    var splitter = LineSplitter(.all, limit: 10)
    splitter.append(Data("a\r".utf8))
    #expect(try splitter.next() == Data("a".utf8))
    #expect(try splitter.next() == nil)
  }

  @Test func aCharacterCutByAPieceIsWhole() {
    let bytes = Data("a€😀\n".utf8)
    for index in 0...bytes.count {
      #expect(split([bytes.prefix(index), bytes.dropFirst(index)], .lineFeeds).lines == ["a€😀"])
    }
  }

  @Test func invalidBytesAreReplaced() {
    let pieces = [Data([0x61, 0xFF, 0x62, 0xE2]), Data([0x82, 0x0A, 0xC3])]
    #expect(split(pieces, .lineFeeds).lines == ["a\u{FFFD}b\u{FFFD}", "\u{FFFD}"])
  }

  @Test func oneByteOrderMarkIsRemovedAtTheBeginning() {
    #expect(lines("\u{FEFF}a\n\u{FEFF}b") == ["a", "\u{FEFF}b"])
    #expect(lines("\u{FEFF}\u{FEFF}a\n") == ["\u{FEFF}a"])
    #expect(split(Data("\u{FEFF}a\n".utf8).map { Data([$0]) }, .all).lines == ["a"])
    #expect(lines("\u{FEFF}") == [] && lines("\u{FEFF}a") == ["a"])
  }

  @Test(arguments: [1, 2, 3, 100]) func aLineBeyondTheLimitIsAnError(_ pieceLength: Int) {
    func outcome(_ text: String, _ lineBreaks: LineSplitter.LineBreaks) -> (lines: [String], error: NetworkError?) {
      split(Data(text.utf8).parts(of: pieceLength), lineBreaks, limit: 4)
    }
    for lineBreaks in [LineSplitter.LineBreaks.lineFeeds, .all] {
      let fitting = outcome("abcd\nabcd\r\nabcd", lineBreaks)
      #expect(fitting.lines == ["abcd", "abcd", "abcd"] && fitting.error == nil)
      for text in ["ab\nabcde\nab", "ab\nabcde\r\n", "ab\nabcde", "ab\nabcdef"] {
        let outcome = outcome(text, lineBreaks)
        #expect(outcome.lines == ["ab"])
        #expect(outcome.error?.domain == .network && outcome.error?.code == .responseTooLarge)
        #expect(outcome.error?.reason == "a line is longer than 4 bytes")
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

  /// Quadratic work would take minutes.
  @Test func aLineOfManyPiecesTakesLinearTime() {
    let start = ContinuousClock.now
    let piece = Data("abcdefgh".utf8)
    let result = split(Array(repeating: piece, count: 100_000) + [Data("\n".utf8)], .all, limit: .max)
    #expect(result.lines.map(\.utf8.count) == [800_000])
    #expect(ContinuousClock.now - start < .seconds(20))
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
        #expect(whole.lines == pieces.lines && whole.error?.code == pieces.error?.code, "\(Array(bytes)), \(dice.seed)")
      }
    }
  }
}
