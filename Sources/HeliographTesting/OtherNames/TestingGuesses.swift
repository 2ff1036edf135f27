// Guesses at names of the testing library, unavailable: the compiler's message says what to write.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Heliograph

extension StubAnswer {
  @available(*, unavailable, message: "Write .failure(NetworkError(code))")
  public static func error(_ error: any Error) -> StubAnswer { .offline }

  @available(*, unavailable, message: "Write .failure(NetworkError(code))")
  public static func error(_ code: NetworkError.Code) -> StubAnswer { .offline }

  // A dictionary, as with `JSONSerialization`.
  @available(*, unavailable, message: "Write .json(text), with a JSON value or with one that is Encodable")
  public static func json(_ object: [String: Any], status: Int = 200, headers: HTTPHeaders = [:]) -> StubAnswer {
    .status(status)
  }
}

extension StubTransport {
  @available(*, unavailable, message: "Write on(.get, path, .json(value))")
  public func get(_ path: RequestPath, _ answers: StubAnswer...) {}
}

extension TestKit {
  @available(*, unavailable, message: "Write await kit.clock.advance(by: duration)")
  public func advance(by duration: Duration = .zero) async {}
}
