import TestSupport
import Testing

/// The package depends on nothing but the toolchain.
enum Manifest {
  static func violations(in manifest: SourceFile) -> [Violation] {
    manifest.source.lines(containing: "package(").map { manifest.violation(line: $0, "declares a package dependency") }
  }
}

struct ManifestTests {
  @Test(arguments: ["Sources/HeliographInspector/HAR/HAREntryWriter.swift", "Examples/Sources/Courier/Courier.swift"])
  func theVersionIsTheNewestOfTheChangelog(_ path: String) throws {
    let headings = try Project.text(of: "CHANGELOG.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
    let version = try require(headings.first).dropFirst(3).split(separator: ".").prefix(2).joined(separator: ".")
    expect(try Project.text(of: path).contains("\"\(version)\""))
  }

  @Test func holdsInTheProject() throws {
    let manifest = SourceFile("Package.swift", try Project.text(of: "Package.swift"))
    expectNone(Manifest.violations(in: manifest))
  }

  @Test(arguments: [#"dependencies: [.package(url: "https://example.com", from: "1.0.0")]"#, #".package(path: "..")"#])
  func finds(text: String) {
    expectEqual(Manifest.violations(in: SourceFile("Package.swift", text)).count, 1)
  }

  @Test(arguments: [
    #"let package = Package(name: "A")"#, #".target(name: "A", dependencies: ["B"])"#, "// .package(path: \"..\")",
  ])
  func accepts(text: String) {
    expect(Manifest.violations(in: SourceFile("Package.swift", text)).isEmpty)
  }
}
