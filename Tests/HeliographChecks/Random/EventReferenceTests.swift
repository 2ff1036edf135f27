import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// A large stream is parsed as by implementations that were written independently, on the whole text.
struct EventReferenceTests {
  private static let eventCount = 100_000
  private static let stream = makeStream()

  /// Events with all fields in all forms, between comments, unknown fields, invalid bytes and events without data.
  private static func makeStream() -> Data {
    var dice = ParameterDice()
    let texts = [
      "", "a", " b", "{\"c\": [1, 2]}", "x: y", "é€😀", ":", "data", "\u{FEFF}z", "7", "12345", "q\u{0}", "  ",
    ]
    var stream = Data([0xEF, 0xBB, 0xBF])
    func line(_ name: String, _ lineBreak: String) {
      let text = texts[dice.count(texts.count - 1)]
      let separator = ["", ":", ": ", ":", ": "][dice.count(4)]
      stream.append(contentsOf: (name + separator + (separator.isEmpty ? "" : text)).utf8)
      if dice.count(50) == 0 {
        stream.append(contentsOf: [[0xFF], [0xE2, 0x82], [0xF0, 0x9F], [0xC0, 0x80]][dice.count(3)])
      }
      stream.append(contentsOf: lineBreak.utf8)
    }
    for _ in 0..<eventCount {
      let lineBreak = ["\n", "\n", "\r\n", "\r"][dice.count(3)]
      for _ in 0..<dice.count(4) {
        line(["event", "id", "retry", "", "other", "data ", "Data"][dice.count(6)], lineBreak)
      }
      if dice.count(9) == 0 { stream.append(contentsOf: lineBreak.utf8) }
      for _ in 0...dice.count(2) { line("data", lineBreak) }
      // Invalid bytes after the name make another field of it.
      stream.append(contentsOf: ("data: " + String(dice.next(), radix: 36) + lineBreak + lineBreak).utf8)
    }
    stream.append(contentsOf: "data: incomplete\n".utf8)
    return stream
  }

  /// The stream, cut at random, in a form that does not depend on the parser.
  private static let parsed = {
    var dice = ParameterDice(seed: 99)
    var parser = EventParser(limit: 1_000_000)
    let events = parser.events(in: stream.parts(upTo: 200, &dice))
    return (count: events.count, text: written(events.map { [$0.id ?? "", $0.type, $0.data] }))
  }()

  private static func written(_ events: [[String]]) -> Data {
    Data(events.map { $0.joined(separator: "\u{1F}") + "\u{1E}" }.joined().utf8)
  }

  @Test func itIsParsedAsByARewritingOfTheWholeText() {
    expectEqual(Self.parsed.count, Self.eventCount)
    expectEqual(Self.parsed.text, Self.written(Self.rewritten(Self.stream)))
  }

  /// Another way to the same events: one text, split into blocks, of which each is searched for its fields.
  private static func rewritten(_ stream: Data) -> [[String]] {
    var text = Substring(String(decoding: stream, as: UTF8.self)).unicodeScalars
    if text.first == "\u{FEFF}" { text.removeFirst() }
    var unified = String.UnicodeScalarView()
    var previous: Unicode.Scalar = " "
    for scalar in text {
      if scalar == "\r" || scalar == "\n" && previous != "\r" { unified.append("\n") }
      if scalar != "\r", scalar != "\n" { unified.append(scalar) }
      previous = scalar
    }
    let lines = unified.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let blocks = lines.split(omittingEmptySubsequences: false) { $0.isEmpty }
    var id = ""
    return blocks.dropLast().compactMap { block -> [String]? in
      let fields = block.map { line -> (name: String, value: String) in
        guard let colon = line.firstIndex(of: ":") else { return (String(line), "") }
        let value = line[line.index(after: colon)...]
        return (String(line[..<colon]), String(value.first == " " ? value.dropFirst() : value))
      }
      id = fields.last { $0.name == "id" && !$0.value.unicodeScalars.contains("\0") }?.value ?? id
      let data = fields.filter { $0.name == "data" }.map(\.value)
      let type = fields.last { $0.name == "event" }?.value ?? ""
      return data.isEmpty ? nil : [id, type.isEmpty ? "message" : type, data.joined(separator: "\n")]
    }
  }

  /// In Python, whose UTF-8 decoder and line breaks are its own.
  private static let script = #"""
    import re, sys
    text = open(sys.argv[1], "rb").read().decode("utf-8", "replace")
    if text.startswith("\ufeff"): text = text[1:]
    *lines, _ = re.split("\r\n|\n|\r", text)
    out, data, kind, last = [], [], "", ""
    for line in lines:
      if line == "":
        if data: out.append("\x1f".join([last, kind or "message", "\n".join(data)]) + "\x1e")
        data, kind = [], ""
        continue
      name, _, value = line.partition(":")
      if value.startswith(" "): value = value[1:]
      if name == "data": data.append(value)
      elif name == "event": kind = value
      elif name == "id" and "\0" not in value: last = value
    open(sys.argv[2], "wb").write("".join(out).encode("utf-8"))
    """#

  @Test func itIsParsedAsByPython() async throws {
    guard try await Child("/usr/bin/env", ["python3", "--version"]).wait() == 0 else {
      print("EventReferenceTests: there is no python3 to compare with")
      return
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
    try Self.stream.write(to: input)
    let status = try await Child("/usr/bin/env", ["python3", "-c", Self.script, input.path, output.path]).wait()
    expectEqual(status, 0)
    try expectEqual(Data(contentsOf: output), Self.parsed.text)
  }
}
