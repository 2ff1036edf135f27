import TestSupport
import Testing

/// What the modules may import: Signals needs no Foundation, HeliographTesting no test framework.
enum Imports {
  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      modules(importedBy: file).compactMap { line, module in
        reason(against: module, in: file).map { file.violation(line: line, "imports \(module): \($0)") }
      }
    }
  }

  static func reason(against module: String, in file: SourceFile) -> String? {
    switch (file.module, module) {
    case ("Signals", "Swift"), ("Signals", "Synchronization"), ("Signals", "ObjectiveC"): nil
    case ("Signals", "Dispatch"):
      ["SignalScheduler.swift", "SharedTimer.swift"].contains(file.name) ? nil : "only the scheduler and its timer may"
    case ("Signals", "Darwin"), ("Signals", "Glibc"), ("Signals", "Musl"):
      file.name == "Node.swift" ? nil : "only the node of a gate's queue may, for the identity of its thread"
    case ("Signals", "Combine"), ("Signals", "Observation"):
      file.path.hasPrefix("Sources/Signals/Bridges/") ? nil : "only Bridges may"
    case ("Signals", _): "Signals imports the standard library and Synchronization"
    case ("HeliographTesting", "Testing"), ("HeliographTesting", "XCTest"): "it must serve every test framework"
    case (_, "SwiftUI") where file.path.hasPrefix("Sources/Heliograph/Presentation/SwiftUI/"): nil
    default: screens.contains(module) ? "only Presentation/SwiftUI may, and SwiftUI alone" : nil
    }
  }

  static let screens: Set<String> = ["UIKit", "AppKit", "SwiftUI", "WatchKit", "TVUIKit"]

  static func modules(importedBy file: SourceFile) -> [(line: Int, module: String)] {
    file.source.code.enumerated().compactMap { line, code in
      let words = code.split { !$0.isIdentifierPart && $0 != "@" && $0 != "." }
      guard let keyword = words.firstIndex(of: "import") else { return nil }
      guard words[..<keyword].allSatisfy({ $0.hasPrefix("@") || levels.contains($0) }) else { return nil }
      let path = words[(keyword + 1)...].drop { kinds.contains($0) }.first
      return path?.split(separator: ".").first.map { (line, String($0)) }
    }
  }

  private static let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
  private static let kinds: Set<Substring> = [
    "struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor",
  ]
}

struct ImportTests {
  @Test("S0-36 S1-13 S2-9") func holdsInTheSources() throws {
    expectNone(Imports.violations(in: try Project.files(in: "Sources")))
  }

  /// Both show nothing until an app uses them in a view of its own.
  @Test("S0-36 S2-9") func twoFilesImportAUIModule() throws {
    let importing = try Project.files(in: "Sources").filter { file in
      Imports.modules(importedBy: file).contains { Imports.screens.contains($0.module) }
    }
    let folder = "Sources/Heliograph/Presentation/SwiftUI"
    expectEqual(importing.map(\.path), ["\(folder)/Loadable+View.swift", "\(folder)/View+Alert.swift"])
  }

  @Test(arguments: [
    ("Sources/Signals/Event.swift", "import Foundation"),
    ("Sources/Signals/Event.swift", "public import struct Foundation.Date"),
    ("Sources/Signals/SignalScheduler.swift", "@preconcurrency internal import FoundationEssentials"),
    ("Sources/Signals/PublishSubject.swift", "import Dispatch"),
    ("Sources/Signals/Internal/Delivery/Gate.swift", "import Glibc"),
    ("Sources/Signals/PublishSubject.swift", "#if canImport(Combine)\n  import Combine\n#endif"),
    ("Sources/Signals/Property.swift", "import Observation"),
    ("Sources/HeliographTesting/Recorder.swift", "import Testing"),
    ("Sources/HeliographTesting/Recorder.swift", "private import class XCTest.XCTestCase"),
    ("Sources/Heliograph/Presentation/Alert.swift", "import UIKit"),
    ("Sources/Heliograph/Presentation/Alert.swift", "public import SwiftUI"),
    ("Sources/Heliograph/Presentation/SwiftUI/Alert.swift", "import UIKit"),
    ("Sources/HeliographBackground/Presentation/SwiftUI/Alert.swift", "import SwiftUI"),
  ])
  func finds(path: String, text: String) {
    expectEqual(Imports.violations(in: [SourceFile(path, text)]).count, 1)
  }

  @Test(arguments: [
    ("Sources/Signals/Event.swift", "import Synchronization\n// import Foundation\nlet text = \"import Foundation\""),
    ("Sources/Signals/SignalScheduler.swift", "import Dispatch"),
    ("Sources/Signals/Internal/Timing/SharedTimer.swift", "import Dispatch"),
    ("Sources/Signals/Bridges/Signal+Combine.swift", "#if canImport(Combine)\n  public import Combine\n#endif"),
    ("Sources/Heliograph/Message/HTTPBody.swift", "public import Foundation\n@_exported public import Signals"),
    ("Sources/HeliographTesting/Recorder.swift", "public import Heliograph"),
    (
      "Sources/Heliograph/Presentation/SwiftUI/View+Alert.swift",
      "#if canImport(SwiftUI)\npublic import SwiftUI\n#endif"
    ),
  ])
  func accepts(path: String, text: String) {
    expectNone(Imports.violations(in: [SourceFile(path, text)]))
  }
}
