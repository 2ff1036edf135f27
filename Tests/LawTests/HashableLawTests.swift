import Foundation
import Heliograph
import Testing

struct HashableLawTests {
  private static let count = 3_000

  /// Checks generated pairs; they come from a small domain, so that many are equal.
  private func check<Value: Hashable>(
    _ make: (inout Pick) -> Value, twin: ((Value, inout Pick) -> Value)? = nil,
    location: SourceLocation = #_sourceLocation
  ) {
    var pick = Pick()
    var equalPairs = 0
    var failures: [String] = []
    for _ in 0..<Self.count {
      let (left, right) = (make(&pick), make(&pick))
      let same = twin.map { $0(left, &pick) } ?? left
      if let broken = Laws.broken(by: left, right, same) { failures.append(broken) }
      if left != same { failures.append("\(left) is not equal to its twin \(same)") }
      if left == right { equalPairs += 1 }
    }
    #expect(failures.isEmpty, "seed \(pick.seed): \(failures.prefix(3))", sourceLocation: location)
    #expect(equalPairs > 0 && equalPairs < Self.count, "nothing was compared", sourceLocation: location)
  }

  @Test func fields() {
    check {
      $0.field()
    } twin: {
      Field(name: $1.cased($0.name), value: $0.value)
    }
  }

  @Test func headers() {
    check {
      $0.headers()
    } twin: {
      $1.shuffled($0)
    }
  }

  @Test func methods() {
    check { HTTPMethod(rawValue: $0.one(of: ["GET", "get", "POST", "", "é"])) }
  }

  @Test func requests() {
    check {
      $0.request()
    } twin: { request, pick in
      var twin = request
      twin.headers = pick.shuffled(request.headers)
      return twin
    }
  }

  @Test func responses() {
    check {
      HTTPResponse(statusCode: $0.one(of: [200, 404]), headers: $0.headers(), url: $0.url())
    } twin: { response, pick in
      HTTPResponse(statusCode: response.statusCode, headers: pick.shuffled(response.headers), url: response.url)
    }
  }

  @Test func codes() {
    check { pick -> NetworkError.Code in
      let number = pick.one(of: [600, 601, -1_001, 0, 404, .min, .max])
      return switch pick.one(of: [0, 1, 2]) {
      case 0: .status(number)
      case 1: .api(number)
      default: .api(pick.one(of: ["404", "0404", "E17", ""]))
      }
    }
  }

  @Test func events() {
    check { pick -> Event<String, Mishap> in
      switch pick.one(of: [0, 1, 2]) {
      case 0: .value(pick.one(of: ["a", "b", ""]))
      case 1: .failed(Mishap(number: pick.one(of: [1, 2])))
      default: .completed
      }
    }
  }

  @Test func parameterValues() {
    check { $0.parameterValue(levels: 2) }
  }

  @Test func parameterObjects() {
    check {
      $0.parameterObject(levels: 1)
    } twin: { object, _ in
      // Equal, whatever was there before.
      var twin = object
      for number in 0..<12 { twin["extra \(number)"] = 1 }
      for number in 0..<12 { twin["extra \(number)"] = nil }
      return twin
    }
  }

  @Test func parameterPairs() {
    check { ParameterPair($0.one(of: ["", "a", "é", "e\u{301}"]), $0.one(of: [nil, "", "1"])) }
  }

  @Test func parameterRules() {
    check {
      ParameterRules(
        arrays: $0.one(of: [.brackets, .joined(separator: ","), .joined(separator: ";")]),
        objects: $0.one(of: [.brackets, .dots]), dates: $0.one(of: [.secondsSince1970, .millisecondsSince1970]),
        nulls: $0.one(of: [.omitted, .empty]))
    }
  }

  @Test func percentEncodings() {
    check { $0.one(of: [PercentEncoding.query, .form]) }
  }

  @Test func repeatedNamesKeepTheirOrder() {
    let left = HTTPHeaders([Field(name: "A", value: "1"), Field(name: "a", value: "2")])
    let right = HTTPHeaders([Field(name: "A", value: "2"), Field(name: "a", value: "1")])
    #expect(left != right)
    #expect(left == HTTPHeaders([Field(name: "a", value: "1"), Field(name: "A", value: "2")]))
  }
}

private struct Mishap: Error, Hashable {
  let number: Int
}
