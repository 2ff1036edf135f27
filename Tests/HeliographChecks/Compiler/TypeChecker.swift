#if os(Linux)
import Foundation
import HeliographTestSupport
import TestSupport

/// The Swift compiler, which type-checks code against the modules that this program was built with.
enum TypeChecker {
  /// The folder of the modules.
  private static func modules() throws -> String {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/Modules/Signals.swiftmodule") {
      folder.deleteLastPathComponent()
    }
    return folder.path + "/Modules"
  }

  /// Returns the errors and the uses of deprecated names in code, each on one line, with the name `uses.swift` unless the code sets another location.
  static func diagnostics(in code: String, _ arguments: String...) async throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "uses-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "uses.swift")
    try code.write(to: file, atomically: true, encoding: .utf8)
    let output = Pipe()
    let fixed = [
      "swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style=llvm", "-I",
      try modules(), "-I", try modules() + "/../CCurl.build",
    ]
    let compiler = try Child("/usr/bin/env", fixed + arguments + [file.path], errors: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    await compiler.wait()
    return text.split(separator: "\n").filter { $0.contains(": error: ") || $0.contains("is deprecated") }
      .map(String.init)
  }
}
#endif
