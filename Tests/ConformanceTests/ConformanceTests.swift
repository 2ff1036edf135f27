import Foundation
import Testing

/// The conformance set of the HTTP cache; see `Case`.
///
/// `HELIOGRAPH_CASE=<part of a name>` selects cases.
struct ConformanceTests {
  @Test(arguments: CaseGroup.all, Setup.present)
  func cases(_ group: CaseGroup, _ setup: Setup) async throws {
    let server = try CaseServer()
    let transport = try setup.transport.transport()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("conformance-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (number, item) in group.cases.enumerated() where item.isSelected && item.runs(over: setup.transport) {
      let place = setup.usesDisk ? folder.appendingPathComponent("\(number)") : nil
      var runner = try CaseRunner(item, number: number, at: server, over: transport, folder: place)
      let problems = await runner.run()
      let title = "\(group), \(item.requirement.rawValue), \(item.section): \(item.name), over \(setup)"
      if (setup.usesDisk ? item.diskDecision : item.decision) == nil {
        if !problems.isEmpty { Issue.record("\(title)\n    \(problems.joined(separator: "\n    "))") }
      } else if problems.isEmpty {
        Issue.record("\(title)\n    the cache uses this option now: remove the decision")
      }
    }
  }

  @Test func everyCaseHasANameAndOnlyOptionsAreDeclined() {
    let cases = CaseGroup.all.flatMap(\.cases)
    #expect(cases.count >= 180)
    for group in CaseGroup.all {
      let names = Dictionary(grouping: group.cases, by: \.name).filter { $0.value.count > 1 }.keys
      #expect(names.isEmpty)
    }
    #expect(cases.allSatisfy { $0.diskDecision == nil || $0.requirement == .may })
  }
}

extension CaseGroup {
  static let all: [CaseGroup] = [
    freshness, directiveSyntax, expires, age, heuristics, storing, storedFields, responseDirectives, requestDirectives,
    vary, validation, callerConditions, updates, head, invalidation, ranges, staleResponses, redirects, keys, oddInput,
  ]
}

extension Case {
  fileprivate func runs(over kind: TransportKind) -> Bool { transport == nil || transport == kind }

  fileprivate var isSelected: Bool {
    ProcessInfo.processInfo.environment["HELIOGRAPH_CASE"].map(name.contains) ?? true
  }
}
