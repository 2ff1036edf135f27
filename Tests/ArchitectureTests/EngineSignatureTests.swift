import TestSupport
import Testing

/// The signatures of an engine: no type of a request occurs in what a screen can call.
enum EngineSignatures {
  private static let types: Set<Substring> = [
    "Endpoint", "HTTPRequest", "Request", "RequestConvertible", "RequestDraft", "TypedRequest", "URLRequest",
  ]
  private static let kinds: Set<Substring> = ["actor", "class", "enum", "extension", "protocol", "struct"]
  private static let members: Set<Substring> = ["case", "func", "init", "let", "subscript", "typealias", "var"]

  static func violations(in file: SourceFile) -> [Violation] {
    var (isPrivate, isInPrivateType, isPrivateMember) = (false, false, false)
    var found: [Violation] = []
    for word in file.source.words where word.depth < 2 {
      if ["fileprivate", "private"].contains(word.text) {
        isPrivate = true
      } else if word.depth == 0 ? kinds.contains(word.text) : members.contains(word.text) {
        if word.depth == 0 { isInPrivateType = isPrivate } else { isPrivateMember = isPrivate }
        isPrivate = false
      }
      if word.depth == 1, !isInPrivateType, !isPrivateMember, types.contains(word.text) {
        found.append(file.violation(line: word.line, "names \(word.text) in a signature"))
      }
    }
    return found
  }
}

struct EngineSignatureTests {
  @Test("S0-42") func noEngineOfTheExampleNamesARequestInASignature() throws {
    let folder = "Examples/Sources/Storefront/Engines"
    let files = try Project.files(in: folder).filter { $0.name.hasSuffix("Engine.swift") }
    expectEqual(files.count, 5)
    expectNone(files.flatMap(EngineSignatures.violations))
  }

  @Test(arguments: [
    "struct E {\n  func send(_ request: Request) {}\n}", "struct E {\n  let first: TypedRequest<Int>\n}",
    "extension E {\n  func first() -> any RequestConvertible {\n    Request(.get, path)\n  }\n}",
    "struct E {\n  private let a: A\n  func send(\n    a: Int,\n    b: URLRequest\n  ) {\n  }\n}",
    "private struct A {\n}\nenum E: Endpoint {\n  var request: Request { \"/a\" }\n}",
  ])
  func finds(text: String) {
    expectEqual(EngineSignatures.violations(in: SourceFile("Examples/E.swift", text)).count, 1)
  }

  @Test(arguments: [
    "struct E {\n  func send() -> Signal<Int, NetworkError> {\n    client.send(Request(.get, path))\n  }\n}",
    "struct E {\n  // A Request.\n  private let first: Request\n  func send(_ id: RequestID) {}\n}",
    "private enum E: Endpoint {\n  var request: Request { path }\n}",
    "extension Request {\n  fileprivate func signed() -> Request { self }\n}",
  ])
  func accepts(text: String) {
    expectNone(EngineSignatures.violations(in: SourceFile("Examples/E.swift", text)))
  }
}
