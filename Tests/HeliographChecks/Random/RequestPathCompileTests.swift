#if os(Linux)
import Foundation
import HeliographTestSupport
import TestSupport
import Testing

/// What the compiler says of values in a path; it compiles against the modules of these tests.
struct RequestPathCompileTests {
  private static let declarations = """
    import Foundation
    import Heliograph

    struct User: Sendable { let id = 7; let password = "hunter2" }
    struct UserID: RawRepresentable { let rawValue: Int }
    enum Kind: String { case lamp }
    struct Code: PathComponentConvertible { let pathComponent = "a" }
    enum Shop: Endpoint {
      case one(User)
      var request: Request { if case .one(let user) = self { "/\\(user.id)/\\(VALUE)" } else { "/" } }
    }
    func all(_ client: NetworkClient, _ user: User) async throws {
      _ = Request(.get, "/users/\\(VALUE)")
      _ = client.exchange(request: "/users/\\(VALUE)")
      _ = try await client.value(of: "/users/\\(VALUE)", as: Int.self)
      _ = try await client.value(of: "/users/\\(VALUE)", as: Int.self)
      let path: RequestPath = "/users/\\(VALUE)"
      _ = path
    }

    """

  /// Returns the errors of the compiler, one a line.
  private func errors(of value: String) async throws -> [String] {
    try await Self.errors(in: Self.declarations.replacingOccurrences(of: "VALUE", with: value))
  }

  /// Returns the errors of the compiler in a program, one a line.
  static func errors(in program: String) async throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "compile-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "main.swift")
    try Data(program.utf8).write(to: source)
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let errors = folder.appending(path: "errors")
    try Data().write(to: errors)
    let handle = try FileHandle(forWritingTo: errors)
    let compiler = try Child(
      "/usr/bin/env",
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", products.path + "/Modules", "-I",
        products.path + "/CCurl.build",
        source.path,
      ], output: handle, errors: handle)
    let status = await compiler.wait()
    let text = try String(decoding: Data(contentsOf: errors), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init).filter {
      $0.contains("main.swift:") && $0.contains("error:")
    }
    expectEqual(status == 0, lines.isEmpty, "\(text)")
    return lines
  }

  @Test(arguments: [
    "7", #""a/b""#, "user.id", "UUID()", "UserID(rawValue: 7)", "Kind.lamp", "Code()", "-1.5", "7 as Int?",
  ])
  func aComponentCompiles(_ value: String) async throws {
    let errors = try await errors(of: value)
    expectEqual(errors, [])
  }

  @Test(arguments: ["user", "Data()", "Date()", "[1, 2]", "user as Any", "[7: user]"])
  func anythingElseIsDiagnosedWhereverItStands(_ value: String) async throws {
    let errors = try await errors(of: value)
    expectEqual(errors.count, 6, "\(errors)")
    for error in errors { expect(error.contains("PathComponentConvertible"), "\(error)") }
  }
}
#endif
