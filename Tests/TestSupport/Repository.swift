import Foundation

/// The checkout that the tests belong to.
package enum Repository {
  package static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  package static func file(_ path: String) -> URL { root.appendingPathComponent(path) }

  package static func fixture(_ name: String) -> URL { file("Tests/Fixtures/\(name)") }

  package static func text(of path: String) throws -> String {
    try String(contentsOf: file(path), encoding: .utf8)
  }
}
