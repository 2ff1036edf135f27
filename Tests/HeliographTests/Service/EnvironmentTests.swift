import Foundation
import Heliograph
import Testing

@Suite struct EnvironmentTests {
  @Test func isItsNameAndNothingElse() {
    let names = Environment.predefined.map(\.rawValue)
    #expect(names == ["develop", "test", "preRelease", "release", "hotfix", "custom"])
    #expect(Environment(rawValue: "test") == .test)
    #expect(Environment(rawValue: "Test") != .test)
    #expect("\(Environment.preRelease)" == "preRelease")
    #expect(Set(Environment.predefined).count == 6)
  }

  @Test func isCodedAsItsName() throws {
    let own = [Environment(rawValue: "demo"), .hotfix]
    let data = try JSONEncoder().encode(own)
    #expect(String(decoding: data, as: UTF8.self) == #"["demo","hotfix"]"#)
    #expect(try JSONDecoder().decode([Environment].self, from: data) == own)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Environment].self, from: Data("[1]".utf8)) }
  }
}
