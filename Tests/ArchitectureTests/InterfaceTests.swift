import Foundation
import TestSupport
import Testing

/// What the libraries declare as public, counted in their formatted sources: unavailable names teach, and are not counted.
///
/// A leading underscore says that a name is not for users.
struct Interface {
  private(set) var types: Set<String> = []
  private(set) var declarationCount = 0
  /// The methods of `NetworkClient`, as `send(_:as:)`; the overloads of a name with the same labels count once.
  private(set) var clientMethods: Set<String> = []
  private(set) var disfavoredCount = 0

  init(of files: [SourceFile]) {
    for file in files { read(file) }
  }

  private mutating func read(_ file: SourceFile) {
    let lines = file.source.code
    var (scope, isScopeUnavailable) = ("", false)
    for (index, line) in lines.enumerated() {
      if let first = line.first, first != " ", first != "}", first != ")" {
        (scope, isScopeUnavailable) = (line, Interface.isUnavailable(lines, index))
      }
      if isScopeUnavailable { continue }
      if line.contains("@_disfavoredOverload") {
        let declaration = lines[index...].firstIndex { $0.contains("public ") } ?? index
        if !Interface.isUnavailable(lines, declaration) { disfavoredCount += 1 }
      }
      let words = line.split(separator: " ")
      guard let start = words.firstIndex(of: "public"), !words.contains("import") else { continue }
      if words[..<start].contains(where: { !$0.hasPrefix("@") }) || Interface.isUnavailable(lines, index) { continue }
      let kind = words[start...].firstIndex { Interface.typeKinds.contains(String($0)) }
      if let kind, kind + 1 < words.count {
        let name = String(words[kind + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        if name.hasPrefix("_") || name == "func" || name == "var" { continue }
        types.insert("\(Interface.isNested(line) ? Interface.name(of: scope) + "." : "")\(name)")
      }
      declarationCount += 1
      if Interface.name(of: scope) == "NetworkClient", line.hasPrefix("  public"), words.contains("func") {
        clientMethods.insert(Interface.signature(lines[index...].prefix(12).joined(separator: " ")))
      }
    }
  }

  private static let typeKinds: Set<String> = ["struct", "class", "enum", "protocol", "actor"]

  private static func isNested(_ line: String) -> Bool { line.hasPrefix(" ") }

  /// `NetworkClient` for `extension NetworkClient {`.
  private static func name(of scope: String) -> String {
    let words = scope.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
    let kinds = typeKinds.union(["extension"])
    guard let kind = words.firstIndex(where: { kinds.contains(String($0)) }), kind + 1 < words.count else { return "" }
    return String(words[kind + 1])
  }

  /// Whether the attributes before a declaration say so; their texts and comments are spaces.
  private static func isUnavailable(_ lines: [String], _ index: Int) -> Bool {
    var attributes = ""
    for line in lines[..<index].reversed() {
      let text = line.trimmingCharacters(in: .whitespaces)
      let isText = text.isEmpty && !line.isEmpty
      guard isText || ["@", ")", "*,", "message:"].contains(where: { text.hasPrefix($0) }) else { break }
      attributes += text
    }
    return (attributes + lines[index]).contains("unavailable")
  }

  /// `send(_:as:)` for the text that begins with its declaration.
  private static func signature(_ text: String) -> String {
    guard let start = text.range(of: "func ")?.upperBound else { return text }
    let name = text[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    var (labels, depth, isLabel) = ([String](), 0, false)
    var word = ""
    let rest = text[name.endIndex...].replacingOccurrences(of: "->", with: "")
    for character in rest {
      switch character {
      case "(", "[", "<":
        depth += character == "<" && labels.isEmpty && depth == 0 ? 0 : 1
        if character == "(", depth == 1 { isLabel = true }
      case ")", "]":
        depth -= 1
        if depth == 0 { return "\(name)(\(labels.map { "\($0):" }.joined()))" }
      case ">": if depth > 1 { depth -= 1 }
      case ",": if depth == 1 { isLabel = true }
      case ":" where isLabel && depth == 1:
        labels.append(word.split(separator: " ").first.map(String.init) ?? "")
        (isLabel, word) = (false, "")
      default: if isLabel { word.append(character) }
      }
    }
    return String(name)
  }
}

/// The size of the interface of 1.0.
struct InterfaceTests {
  private static let interface = Result { Interface(of: try Project.files(in: "Sources")) }

  @Test func isNoLargerThanPlanned() throws {
    let interface = try Self.interface.get()
    let methods = interface.clientMethods.sorted().joined(separator: ", ")
    expect(interface.types.count <= 205, "\(interface.types.count) public types")
    expect(interface.declarationCount <= 1600, "\(interface.declarationCount) public declarations")
    expect(interface.clientMethods.count <= 30, "\(interface.clientMethods.count) methods of NetworkClient: \(methods)")
    expect(interface.disfavoredCount <= 8, "\(interface.disfavoredCount) times @_disfavoredOverload")
  }

  @Test func everyPublicTypeIsNamedInAGuide() throws {
    let guides = try Project.guideText()
    let words = Project.words(of: guides)
    // Of these, only the properties and methods with their values are named.
    let unnamed: Set = [
      "Chain.Step", "DecodeReport.Action", "EnvironmentStore.State", "HMACSigner.Encoding", "JSONCoding.Dates",
      "JSONCoding.Keys", "LoopbackLog.Connection", "NetworkError.Domain", "OwnershipLog.Entry", "Pages.Iterator",
      "RequestReport.Outcome", "StubAnswer.Step",
    ]
    let missing = try Self.interface.get().types.filter { type in
      if !type.contains(".") { return !words.contains(type) }
      return !guides.contains(type) && !guides.contains(type.replacingOccurrences(of: ".", with: "/"))
    }
    expectEqual(missing.sorted(), unnamed.sorted())
  }

  @Test func readsDeclarations() {
    let text = """
      public import Foundation
      /// A public struct of a comment.
      public final class NetworkClient: Sendable {
        public let a = 1
        var b = 2
        public func send<Value>(
          _ request: Request, as type: Value.Type, _ f: (Int, Int) -> [String: Int]
        ) async -> Int { 0 }
        @available(*, unavailable, renamed: "send(_:as:)")
        public func get() {}
        @available(
          *, unavailable,
          message:
            "Write send(_:as:)"
        )
        @_disfavoredOverload
        public func put() {}
        @_disfavoredOverload
        public func close() {}
      }
      @available(*, unavailable, message: "Write NetworkClient")
      public enum Session {
        public struct Task {}
        @_disfavoredOverload
        public func start() {}
      }
      extension NetworkClient {
        public struct Configuration {}
      }
      public struct _Hidden {}
      """
    let interface = Interface(of: [SourceFile("Sources/A.swift", text)])
    expectEqual(interface.types, ["NetworkClient", "NetworkClient.Configuration"])
    expectEqual(interface.clientMethods, ["send(_:as:_:)", "close()"])
    expectEqual(interface.declarationCount, 5)
    expectEqual(interface.disfavoredCount, 1)
  }
}

extension Project {
  /// README and the articles of the catalogues.
  fileprivate static func guideText() throws -> String {
    var text = try self.text(of: "README.md")
    let names = FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)
    while let name = names?.nextObject() as? String {
      if name.hasSuffix(".md") { text += try self.text(of: "Sources/\(name)") }
    }
    return text
  }

  fileprivate static func words(of text: String) -> Set<String> {
    Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
  }
}
