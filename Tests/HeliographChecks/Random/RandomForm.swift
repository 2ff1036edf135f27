import Foundation
import Heliograph
import HeliographTestSupport

/// A random multipart form, and what a server must find in it.
struct RandomForm {
  struct Part: Equatable {
    let name: [UInt8]
    let fileName: [UInt8]?
    let type: String?
    let content: Data
  }

  /// Files that forms upload, with names that are not ASCII.
  struct Files {
    let folder: URL
    let files: [(url: URL, content: Data)]

    init() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("forms-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      self.folder = folder
      files = try ["a.bin", "ein Häuschen.png", "日本 \"x\".txt", "empty", "long.mov"].enumerated().map { index, name in
        let url = folder.appendingPathComponent(name)
        let content = RandomForm.bytes(upTo: index == 3 ? 0 : index == 4 ? 100_000 : 2000)
        try content.write(to: url)
        return (url, content)
      }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
  }

  private(set) var multipart = Multipart()
  private(set) var parts: [Part] = []

  /// Creates a form with 0 to 7 parts.
  init(_ files: Files) {
    for _ in 0..<Int.random(in: 0...7) { addPart(files) }
  }

  private mutating func addPart(_ files: Files) {
    let name = RandomForm.text()
    let fileName = Bool.random() ? RandomForm.text() : nil
    let type = ["text/plain; charset=utf-8", "image/png", "application/x-own"].randomElement()
    switch Int.random(in: 0..<5) {
    case 0:
      let value = RandomForm.text()
      add(.text(name, value), name, nil, nil, Data(value.utf8))
    case 1:
      let content = RandomForm.bytes(upTo: 1500)
      add(.data(name, content, fileName: fileName, contentType: type), name, fileName, type, content)
    case 2:
      guard let file = files.files.randomElement() else { return }
      let part = Multipart.Part.file(name, file.url, fileName: fileName, contentType: type)
      add(part, name, fileName ?? file.url.lastPathComponent, type, file.content)
    default:
      let content = RandomForm.bytes(upTo: 1500)
      let pieces = stride(from: 0, to: content.count, by: 700).map {
        Data(content[$0..<min($0 + 700, content.count)])
      }
      let stream = BodyStream(byteCount: Bool.random() ? content.count : nil) { BodyStream.pieces(of: pieces) }
      add(.stream(name, stream, fileName: fileName, contentType: type), name, fileName, type, content)
    }
  }

  private mutating func add(
    _ part: Multipart.Part, _ name: String, _ fileName: String?, _ type: String?, _ content: Data
  ) {
    multipart.append(part)
    parts.append(Part(name: Array(name.utf8), fileName: fileName.map { Array($0.utf8) }, type: type, content: content))
  }

  private static let scalars: [String] = [
    "a", "Z", "0", "\"", "'", "\\", "\r", "\n", "\r\n", "\0", "\t", " ", ";", "=", "/", "--", ":", "name=\"", "é",
    "e\u{301}",
    "日", "🙂", "👩‍👩‍👧", "\u{2028}", "\u{85}", "\u{0B}", "\u{7F}", "\u{FEFF}", "\u{202E}", "%", "%41", "+", "&",
  ]

  /// Text of up to 11 parts, often empty; without the escapes of quotes and line ends, which no server can tell apart.
  private static func text() -> String {
    let text = (0..<Int.random(in: 0...11)).map { _ in scalars.randomElement() ?? "" }.joined()
    let isAmbiguous = ["%22", "%0D", "%0A", "%00"].contains { Data(text.utf8).range(of: Data($0.utf8)) != nil }
    return isAmbiguous ? "" : text
  }

  /// Bytes, often those of lines and delimiters.
  private static func bytes(upTo limit: Int) -> Data {
    var data = Data()
    let count = Int.random(in: 0...limit)
    while data.count < count {
      switch Int.random(in: 0..<4) {
      case 0: data += Data("\r\n--heliograph-".utf8)
      case 1: data += Data("--\r\n\r\n".utf8)
      default: data += Data((0..<16).map { _ in UInt8.random(in: .min ... .max) })
      }
    }
    return data
  }
}
