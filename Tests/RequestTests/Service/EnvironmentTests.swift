import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct EnvironmentTests {
  @Test func isItsNameAndNothingElse() {
    let names = ServiceEnvironment.predefined.map(\.rawValue)
    expectEqual(names, ["develop", "test", "preRelease", "release", "hotfix", "custom"])
    expectEqual(ServiceEnvironment(rawValue: "test"), .test)
    expect(ServiceEnvironment(rawValue: "Test") != .test)
    expectEqual("\(ServiceEnvironment.preRelease)", "preRelease")
    expectEqual(Set(ServiceEnvironment.predefined).count, 6)
  }

  @Test func isCodedAsItsName() throws {
    let own = [ServiceEnvironment(rawValue: "demo"), .hotfix]
    let data = try JSONEncoder().encode(own)
    expectEqual(String(decoding: data, as: UTF8.self), #"["demo","hotfix"]"#)
    try expectEqual(JSONDecoder().decode([ServiceEnvironment].self, from: data), own)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([ServiceEnvironment].self, from: Data("[1]".utf8)) }
  }
}
