import Foundation
import Heliograph
import Testing

@Suite struct ParametersTests {
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
    #expect(
      try pairs(search) == "q=lamp&page=2&tags[]=a&tags[]=b&exact=true&min=-0.5&size[w]=1&size[h]=2&text=a lamp")
    #expect(search["none"] == .null)
    #expect(search["other"] == nil)
    #expect(try search.object().map(\.name) == ["q", "page", "tags", "none", "exact", "min", "size", "text"])
  }

  @Test func laterValueWinsInThePlaceOfTheEarlierOne() throws {
    let common: Parameters = ["a": 1, "b": ["x": 1], "c": 3]
    let own: Parameters = ["d": 4, "b": ["y": 2], "a": nil]
    #expect(try pairs(common + own) == "b[y]=2&c=3&d=4")
    #expect(try common.merging(own).object().map(\.name) == ["a", "b", "c", "d"])
    #expect(try pairs(common.merging([:])) == "a=1&b[x]=1&c=3")
    #expect(try pairs(Parameters() + common) == "a=1&b[x]=1&c=3")
  }

  @Test func laterOfTwoLiteralsWithOneNameStays() throws {
    #expect(try pairs(["a": 1, "b": 2, "a": 3]) == "a=3&b=2")
    #expect(try pairs(["o": ["a": 1, "b": 2, "a": 3] as ParameterValue]) == "o[a]=3&o[b]=2")
  }

  @Test func valuesAreSetAndRemovedByName() throws {
    var parameters: Parameters = ["a": 1, "b": 2, "c": 3]
    parameters["b"] = nil
    parameters["a"] = .null
    parameters["d"] = .string("4")
    #expect(try parameters.object() == ["a": nil, "c": 3, "d": "4"])
  }

  @Test func manyNamesAreFoundAgain() throws {
    var object = ParameterObject()
    for number in 0..<50_000 { object["n\(number)"] = ParameterValue(number) }
    for number in 0..<50_000 { object["n\(number)"] = ParameterValue(number + 1) }
    #expect(object.count == 50_000)
    #expect(object["n49999"] == 50_000)
    #expect(object["n50000"] == nil)
    object["n0"] = nil
    #expect(object["n1"] == 2 && object.first?.name == "n1" && object["n0"] == nil)
  }

  @Test func emptyMeansNothingToSend() {
    #expect(Parameters().isEmpty)
    #expect(!(["a": nil] as Parameters).isEmpty)
    #expect(!Parameters(Double.nan).isEmpty)
  }

  @Test func failureSurvivesMergingAndSetting() throws {
    var failed = Parameters(["a": Double.nan])
    failed["b"] = 1
    #expect(failed["b"] == nil)
    for parameters in [failed, failed + ["c": 1], ["c": 1] + failed] {
      let error = #expect(throws: NetworkError.self) { try parameters.object() }
      #expect(error?.domain == .client)
      #expect(error?.code == .invalidParameters)
      #expect(error?.reason == "a: NaN and infinity cannot be written")
    }
  }
}
