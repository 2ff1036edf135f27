#if os(Linux)
import TestSupport
import Testing

/// The guide's mapping of compilation conditions (`services-build`) to the environment of a build.
struct BuildSettingTests {
  /// Compiles the mapping with a type that has only one environment, so that every other branch has an error.
  private func errors(_ environment: String, _ condition: String) async throws -> [String] {
    let lines = try Repository.text(of: "Tests/DocumentationSamples/GuideServices.swift").split(separator: "\n")
    let start = try require(lines.firstIndex { $0.hasSuffix("#if APP_RELEASE") })
    let end = try require(lines[start...].firstIndex { $0.hasSuffix("#endif") })
    let type = "struct ServiceEnvironment: Sendable { static let \(environment) = ServiceEnvironment() }"
    let code = [type, "func find() -> ServiceEnvironment {"] + lines[start...end].map(String.init) + ["return build }"]
    return try await TypeChecker.diagnostics(
      in: code.joined(separator: "\n"), "-parse-as-library", "-D", condition)
  }

  @Test(
    "T9 S0-12",
    arguments: [
      ("APP_RELEASE", "release"), ("APP_PRE_RELEASE", "preRelease"), ("APP_HOTFIX", "hotfix"), ("APP_TEST", "test"),
      ("APP_DEVELOP", "develop"),
    ])
  func aConditionAloneSelectsItsEnvironment(_ condition: String, _ environment: String) async throws {
    try await expectEqual(errors(environment, condition), [])
  }

  @Test("T9") func aBuildWithoutAConditionDoesNotCompile() async throws {
    let errors = try await errors("develop", "APP_OTHER")
    expect(errors.contains { $0.contains("the build has no environment") }, "\(errors)")
  }
}
#endif
