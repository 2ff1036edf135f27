import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct ParametersTests {
  private func pairs(_ parameters: Parameters) throws -> String {
    try ParameterRules().pairs(parameters).line
  }

  @Test func literalsKeepTheirOrder() throws {
    let isNew = "lamp"
    let search: Parameters = [
      "q": "lamp", "page": 2, "tags": ["a", "b"], "none": nil, "exact": true, "min": -0.5,
      "size": ["w": 1, "h": 2] as ParameterObject,
      "text": "a \(isNew)",
    ]
    try expectEqual(
      pairs(search), "q=lamp&page=2&tags[]=a&tags[]=b&exact=true&min=-0.5&size[w]=1&size[h]=2&text=a lamp")
    expectEqual(search["none"], .null)
    expectNil(search["other"])
    try expectEqual(search.object().map(\.name), ["q", "page", "tags", "none", "exact", "min", "size", "text"])
  }

  @Test func laterValueWinsInThePlaceOfTheEarlierOne() throws {
    let common: Parameters = ["a": 1, "b": ["x": 1], "c": 3]
    let own: Parameters = ["d": 4, "b": ["y": 2], "a": nil]
    try expectEqual(pairs(common + own), "b[y]=2&c=3&d=4")
    try expectEqual(common.merging(own).object().map(\.name), ["a", "b", "c", "d"])
    try expectEqual(pairs(common.merging([:])), "a=1&b[x]=1&c=3")
    try expectEqual(pairs(Parameters() + common), "a=1&b[x]=1&c=3")
  }

  @Test func laterOfTwoLiteralsWithOneNameStays() throws {
    try expectEqual(pairs(["a": 1, "b": 2, "a": 3]), "a=3&b=2")
    try expectEqual(pairs(["o": ["a": 1, "b": 2, "a": 3] as ParameterValue]), "o[a]=3&o[b]=2")
  }

  @Test func valuesAreSetAndRemovedByName() throws {
    var parameters: Parameters = ["a": 1, "b": 2, "c": 3]
    parameters["b"] = nil
    parameters["a"] = .null
    parameters["d"] = .string("4")
    try expectEqual(parameters.object(), ["a": nil, "c": 3, "d": "4"])
  }

  @Test func manyNamesAreFoundAgain() throws {
    var object = ParameterObject()
    for number in 0..<50_000 { object["n\(number)"] = ParameterValue(number) }
    for number in 0..<50_000 { object["n\(number)"] = ParameterValue(number + 1) }
    expectEqual(object.count, 50_000)
    expectEqual(object["n49999"], 50_000)
    expectNil(object["n50000"])
    object["n0"] = nil
    expectEqual(object["n1"], 2)
    expectEqual(object.first?.name, "n1")
    expectNil(object["n0"])
  }

  @Test func emptyMeansNothingToSend() {
    expect(Parameters().isEmpty)
    expect(!(["a": nil] as Parameters).isEmpty)
    expect(!Parameters(Double.nan).isEmpty)
  }

  @Test func failureSurvivesMergingAndSetting() throws {
    var failed = Parameters(["a": Double.nan])
    failed["b"] = 1
    expectNil(failed["b"])
    for parameters in [failed, failed + ["c": 1], ["c": 1] + failed] {
      let error = #expect(throws: NetworkError.self) { try parameters.object() }
      expectEqual(error?.code, .invalidParameters)
      expectEqual(error?.reason, "a: NaN and infinity cannot be written")
    }
  }
}
