import Signals

/// The source of a request's signal.
final class RequestSource<Result: Sendable>: NamedSource {
  private let request: any RequestConvertible
  private let make: @Sendable () -> Signal<Response<Result>, NetworkError>

  init(_ request: any RequestConvertible, _ make: @escaping @Sendable () -> Signal<Response<Result>, NetworkError>) {
    self.request = request
    self.make = make
  }

  var name: String { request.signalName }

  func makeSignal() -> Signal<Response<Result>, NetworkError> { make() }
}

extension RequestConvertible {
  /// The method and redacted path, or the type if no request can be created.
  var signalName: String { (try? asRequest().description) ?? "\(Self.self)" }
}
