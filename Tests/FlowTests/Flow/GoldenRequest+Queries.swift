import Foundation
import Heliograph
import HeliographTestSupport

extension GoldenRequest {
  static let queries: [GoldenRequest] = [
    GoldenRequest("query-arrays", Request(.get, "/q", parameters: arrays)),
    GoldenRequest("query-arrays-repeated", Request(.get, "/q", parameters: arrays)) {
      $0.parameterRules.arrays = .repeated
    },
    GoldenRequest("query-arrays-indices", Request(.get, "/q", parameters: arrays)) {
      $0.parameterRules.arrays = .indices
    },
    GoldenRequest(
      "query-arrays-joined",
      Request(.get, "/q", parameters: ["a": [1, 2, nil, "x,y"] as ParameterValue, "none": [] as ParameterValue])
    ) { $0.parameterRules.arrays = .joined(separator: ",") },
    GoldenRequest("query-objects", Request(.get, "/q", parameters: objects)),
    GoldenRequest("query-objects-dots", Request(.get, "/q", parameters: objects)) {
      $0.parameterRules = ParameterRules(arrays: .indices, objects: .dots)
    },
    GoldenRequest("query-dates", Request(.get, "/q", parameters: dates)),
    GoldenRequest("query-dates-seconds", Request(.get, "/q", parameters: dates)) {
      $0.parameterRules.dates = .secondsSince1970
    },
    GoldenRequest("query-dates-milliseconds", Request(.get, "/q", parameters: dates)) {
      $0.parameterRules.dates = .millisecondsSince1970
    },
    GoldenRequest("query-booleans-and-nulls", Request(.get, "/q", parameters: flags)),
    GoldenRequest("query-digits-and-empty-nulls", Request(.get, "/q", parameters: flags)) {
      $0.parameterRules = ParameterRules(booleans: .digits, nulls: .empty)
    },
    GoldenRequest(
      "query-numbers",
      Request(
        .get, "/q",
        parameters: [
          "least": Int64.min, "most": UInt64.max, "half": 0.5, "two": 2.0, "large": 1e21, "small": 1.25e-7,
          "zero": -0.0, "price": Decimal(199) / 10, "bytes": Data([1, 2, 251, 255]),
        ])),
    GoldenRequest(
      "query-unicode",
      Request(
        .get, "/q",
        parameters: [
          "é": "\u{E9}", "e\u{301}x": "e\u{301}", "漢字": "שלום", "🏮": "👩‍👩‍👧", "nul": "\u{0}", "mark": "\u{FEFF}\u{202E}",
        ])),
    GoldenRequest(
      "query-reserved",
      Request(
        .get, "/q", parameters: [":/?#[]@": "!$&'()*+,;=", " \"<>\\^`{|}": "%25 %", "-._~": "-._~", "": "unnamed"])),
    GoldenRequest(
      "query-in-the-path",
      Request(.get, "/q?a=1&&b&c=x+y%20z&=e", query: ["d": "x+y z"], parameters: ["a": 2])),
    GoldenRequest("query-of-a-type", Request(.get, "/q", parameters: Parameters(Order.example))),
  ]

  private static let arrays: Parameters = [
    "a": [1, "two", nil, true] as ParameterValue, "deep": [[1, 2], [3]], "none": [] as ParameterValue,
  ]

  private static let objects: Parameters = [
    "filter": ["price": ["min": 1, "max": 2.5], "in stock": true, "none": [:]] as ParameterValue,
    "list": [["b": 1, "a": 2], ["b": 3]] as ParameterValue,
  ]

  private static let dates: Parameters = [
    "whole": Date(timeIntervalSince1970: 1_767_323_045),
    "fraction": Date(timeIntervalSince1970: 1_767_323_045.25),
    "before": Date(timeIntervalSince1970: -0.5),
    "leap": Date(timeIntervalSince1970: 951_782_400),
  ]

  private static let flags: Parameters = [
    "yes": true, "no": false, "null": nil, "empty": "", "list": [nil, false] as ParameterValue,
  ]
}
