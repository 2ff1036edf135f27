import Foundation
import TestSupport
import Testing

/// The privacy manifest names each API for which Apple wants a reason, and no other.
///
/// https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api
enum Privacy {
  static let terms = [
    "UserDefaults": ["UserDefaults("],
    "FileTimestamp": [
      "creationDate", "contentModificationDate", "modificationDate", "attributesOfItem", "stat(", "fstat(", "lstat(",
      "getattrlist",
    ],
    "SystemBootTime": ["systemUptime", "mach_absolute_time"],
    "DiskSpace": ["volumeAvailableCapacity", "volumeTotalCapacity", "attributesOfFileSystem", "statfs(", "statvfs("],
    "ActiveKeyboards": ["activeInputModes"],
  ]

  static func categories(in files: [SourceFile]) -> Set<String> {
    Set(
      terms.filter { _, terms in
        files.contains { file in terms.contains { !file.source.lines(containing: $0).isEmpty } }
      }.keys)
  }
}

struct PrivacyTests {
  private struct Manifest: Decodable {
    struct Entry: Decodable {
      let category: String
      let reasons: [String]

      enum CodingKeys: String, CodingKey {
        case category = "NSPrivacyAccessedAPIType"
        case reasons = "NSPrivacyAccessedAPITypeReasons"
      }
    }

    let isTracking: Bool
    let collected: [String]
    let entries: [Entry]

    enum CodingKeys: String, CodingKey {
      case isTracking = "NSPrivacyTracking"
      case collected = "NSPrivacyCollectedDataTypes"
      case entries = "NSPrivacyAccessedAPITypes"
    }
  }

  @Test func theManifestNamesWhatIsUsed() throws {
    let text = try Project.text(of: "Sources/Heliograph/PrivacyInfo.xcprivacy")
    let manifest = try PropertyListDecoder().decode(Manifest.self, from: Data(text.utf8))
    expect(!manifest.isTracking)
    expect(manifest.collected.isEmpty)
    let named = manifest.entries.map { $0.category.replacing("NSPrivacyAccessedAPICategory", with: "") }
    expectEqual(Set(named), Privacy.categories(in: try Project.files(in: "Sources/Heliograph")))
    expect(manifest.entries.allSatisfy { !$0.reasons.isEmpty })
  }

  /// They have no manifest.
  @Test(arguments: ["Signals", "HeliographBackground", "HeliographInspector", "HeliographTesting"])
  func otherModulesNeedNone(_ module: String) throws {
    expect(Privacy.categories(in: try Project.files(in: "Sources/\(module)")).isEmpty)
  }

  @Test(arguments: [
    ("let a = UserDefaults(suiteName: b)", "UserDefaults"), ("fstat(descriptor, &status)", "FileTimestamp"),
    ("ProcessInfo.processInfo.systemUptime", "SystemBootTime"), ("[.volumeAvailableCapacityKey]", "DiskSpace"),
  ])
  func finds(_ text: String, _ category: String) {
    expectEqual(Privacy.categories(in: [SourceFile("Sources/Heliograph/A.swift", text)]), [category])
  }
}
