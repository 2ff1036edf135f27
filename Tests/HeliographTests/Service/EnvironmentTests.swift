import Foundation
import Heliograph
import Testing

@Suite struct EnvironmentTests {
  @Test func isItsNameAndNothingElse() {
    let names = ServiceEnvironment.predefined.map(\.rawValue)
    #expect(names == ["develop", "test", "preRelease", "release", "hotfix", "custom"])
    #expect(ServiceEnvironment(rawValue: "test") == .test)
    #expect(ServiceEnvironment(rawValue: "Test") != .test)
    #expect("\(ServiceEnvironment.preRelease)" == "preRelease")
    #expect(Set(ServiceEnvironment.predefined).count == 6)
  }

  @Test func isCodedAsItsName() throws {
    let own = [ServiceEnvironment(rawValue: "demo"), .hotfix]
    let data = try JSONEncoder().encode(own)
    #expect(String(decoding: data, as: UTF8.self) == #"["demo","hotfix"]"#)
    #expect(try JSONDecoder().decode([ServiceEnvironment].self, from: data) == own)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([ServiceEnvironment].self, from: Data("[1]".utf8)) }
  }
}
