import Foundation
import Heliograph
import HeliographTesting

/// The outcome of an exchange beside what was expected of it.
struct Outcome {
  let exchange: Exchange
  let number: Int
  let texts: Placeholders
  let result: Result<Response<Data>, NetworkError>
  /// The requests that the server received in the exchange.
  let seen: [LoopbackRequest]
  /// The answer that the cache is expected to reuse, with the number of its exchange.
  let stored: (number: Int, answer: Answer)?

  /// All differences.
  var problems: [String] {
    let fields = seen.last.map { request in
      exchange.sees.problems(in: request.header, expand: texts.expand).map { "the request's \($0)" }
    }
    let isUnseen = !exchange.sees.isEmpty && seen.isEmpty
    return (fields ?? []) + (isUnseen ? ["the server receives no request"] : []) + responseProblems
  }

  private var kind: Expectation.Kind { exchange.expectation.kind }
  private var isHead: Bool { exchange.method == .head }

  private var responseProblems: [String] {
    switch result {
    case .failure(let error):
      if kind == .failure || kind == .error { return [] }
      return ["the request fails: \(error)"]
    case .success(let response):
      let given = exchange.gives.problems(in: { response.headers[$0] }, expand: texts.expand)
      return given.map { "the response's \($0)" } + kindProblems(response)
    }
  }

  private func kindProblems(_ response: Response<Data>) -> [String] {
    switch kind {
    case .network: return countProblems(1 + exchange.hops.count) + validatorProblems + networkProblems(response)
    case .forwarded: return countProblems(nil) + networkProblems(response)
    case .cached: return countProblems(exchange.background == nil ? 0 : 1) + cachedProblems(response)
    case .fallback: return countProblems(nil) + cachedProblems(response)
    case .validated: return countProblems(1) + validatedProblems(response)
    case .notModified:
      return countProblems(0) + contentProblems(response, status: 304, body: "") + sourceProblems(response, "cache")
    case .gatewayTimeout: return countProblems(0) + contentProblems(response, status: 504, body: nil)
    case .failure: return ["a response of status \(response.statusCode) instead of a failure"]
    case .error:
      return response.statusCode >= 500 ? [] : ["a response of status \(response.statusCode) instead of an error"]
    case .any: return contentProblems(response, status: nil, body: nil)
    }
  }

  /// `nil` means at least one.
  private func countProblems(_ expected: Int?) -> [String] {
    let methods = seen.map { "\($0.method) \($0.target)" }.joined(separator: ", ")
    let isRepeatable = exchange.answer?.isClosed == true && expected == 1
    guard let expected, !isRepeatable else { return seen.isEmpty ? ["the server receives no request"] : [] }
    if seen.count == expected { return [] }
    return ["the server receives \(seen.count) requests instead of \(expected): \(methods)"]
  }

  /// The validators that the caller did not send.
  private var validatorProblems: [String] {
    seen.flatMap { request in
      ["If-None-Match", "If-Modified-Since", "If-Range"].compactMap { name in
        let own = exchange.headers[name].map(texts.expand)
        guard let value = request.header(name), value != own else { return nil }
        return "the request has \(name): \(value)"
      }
    }
  }

  private func networkProblems(_ response: Response<Data>) -> [String] {
    let answer = exchange.answer ?? Answer()
    let hasHops = !exchange.hops.isEmpty
    let body = answer.body(number: number)
    // The last hop's answer is the response; its body is stated by the case.
    if hasHops { return contentProblems(response, status: nil, body: nil) }
    return contentProblems(response, status: answer.status, body: body)
      + numberProblems(response, answer.status == 304 || body == nil ? nil : number)
      + sourceProblems(response, "network")
  }

  private func cachedProblems(_ response: Response<Data>) -> [String] {
    let ages = response.headers.values(for: "Age")
    let isAge = ages.count == 1 && Int(ages[0]).map { $0 >= 0 } == true
    return storedProblems(response) + sourceProblems(response, "cache")
      + (isAge ? [] : ["the response's Age is \(ages) instead of one number of seconds"])
  }

  private func validatedProblems(_ response: Response<Data>) -> [String] {
    let isConditional = seen.contains { request in
      ["If-None-Match", "If-Modified-Since"].contains { request.header($0) != nil }
    }
    let condition = isConditional || seen.isEmpty ? [] : ["the request has no condition"]
    guard (exchange.answer?.status ?? 304) == 304 else { return condition + networkProblems(response) }
    return condition + storedProblems(response) + sourceProblems(response, "revalidated")
  }

  /// The differences from the stored answer.
  private func storedProblems(_ response: Response<Data>) -> [String] {
    guard let stored else {
      return exchange.body == nil
        ? ["the case has no answer to reuse"] : contentProblems(response, status: 200, body: nil)
    }
    let isOwn = exchange.body == nil && stored.answer.body(number: stored.number) != nil
    return contentProblems(response, status: stored.answer.status, body: stored.answer.body(number: stored.number))
      + numberProblems(response, isOwn ? stored.number : nil)
  }

  /// The differences from a status and a body, unless the case states others; a HEAD response has no body.
  private func contentProblems(_ response: Response<Data>, status: Int?, body: String?) -> [String] {
    var problems: [String] = []
    if let status = exchange.status ?? status, response.statusCode != status {
      problems.append("the status is \(response.statusCode) instead of \(status)")
    }
    let text = String(decoding: response.value, as: UTF8.self)
    if let body = isHead ? "" : exchange.body.map(texts.expand) ?? body, text != body {
      problems.append("the body is “\(text.prefix(80))” instead of “\(body.prefix(80))”")
    }
    return problems
  }

  private func numberProblems(_ response: Response<Data>, _ expected: Int?) -> [String] {
    guard let expected, response.headers["Exchange-Number"] != "\(expected)" else { return [] }
    let actual = response.headers["Exchange-Number"] ?? "no exchange"
    return ["the response is that of exchange \(actual) instead of \(expected)"]
  }

  private func sourceProblems(_ response: Response<Data>, _ expected: String) -> [String] {
    let actual =
      switch response.source {
      case .network: "network"
      case .cache: "cache"
      case .revalidated: "revalidated"
      case .shared: "shared"
      }
    return actual == expected ? [] : ["the source is \(actual) instead of \(expected)"]
  }
}
