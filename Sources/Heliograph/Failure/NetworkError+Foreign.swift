import Foundation
public import Signals

extension NetworkError.Code {
  /// Creates the code of an error of the URL loading system or of a layer below it.
  ///
  /// Domains other than `NSURLErrorDomain` have their own tables: 54 means a reset connection in the POSIX domain only.
  package init(urlLoading error: any Error) {
    let error = error as NSError
    switch error.domain {
    case NSURLErrorDomain: self = Self.code(ofURLLoading: error.code)
    case "kCFErrorDomainCFNetwork": self = Self.code(ofCFNetwork: error.code)
    case NSPOSIXErrorDomain: self = Self.code(ofPOSIX: error.code)
    default: self = .unknown
    }
  }

  private static func code(ofURLLoading number: Int) -> NetworkError.Code {
    switch number {
    // A malformed body of a known coding.
    case -1015, -3006, -3007: .undecodableBody
    // Not connected; roaming or data not allowed; a call in progress.
    case -1009, -1018, -1019, -1020: .unreachable
    case -1006: .cannotFindHost
    // Expired; unknown authority; not yet valid.
    case -1201, -1203, -1204: .untrustedCertificate
    case -1206: .rejectedClientCertificate
    // Cannot parse the response.
    case -1017: .invalidResponse
    default: .network(number)
    }
  }

  /// kCFErrorHTTPProxyConnectionFailure, kCFErrorHTTPBadProxyCredentials, kCFErrorHTTPSProxyConnectionFailure and
  /// kCFStreamErrorHTTPSProxyFailureUnexpectedResponseToCONNECTMethod, in CFNetwork's domain.
  fileprivate static let proxyFailures = [306, 307, 310, 311]

  private static func code(ofCFNetwork number: Int) -> NetworkError.Code {
    switch number {
    case ..<0: code(ofURLLoading: number)
    // kCFHostErrorHostNotFound, kCFHostErrorUnknown
    case 1, 2: .cannotFindHost
    case _ where proxyFailures.contains(number): .cannotConnect
    // The other codes of kCFErrorHTTP…: the response cannot be parsed, or a stream was closed.
    case 300..<400: .invalidResponse
    default: .unknown
    }
  }

  private static func code(ofPOSIX number: Int) -> NetworkError.Code {
    switch Int32(truncatingIfNeeded: number) {
    case ECONNRESET, ECONNABORTED, EPIPE, ENOTCONN, ENETRESET: .connectionLost
    case ECONNREFUSED, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, EADDRNOTAVAIL: .cannotConnect
    case ETIMEDOUT: .timedOut
    case ENETDOWN: .unreachable
    // A response that HTTP/2 forbids.
    case EPROTO: .invalidResponse
    default: .unknown
    }
  }
}

extension NetworkError {
  /// Returns the reason of an error of the URL loading system or of a layer below it: its domain and code, with a hint.
  ///
  /// The system's own text is in the device's language. `unavailability` is the value of the system's
  /// `URLError.NetworkUnavailableReason`, if there is one.
  package static func reason(ofURLLoading error: any Error, unavailability: Int?) -> String {
    let error = error as NSError
    let hint: String? =
      switch (error.code, unavailability) {
      case (1, _) where error.domain == NSPOSIXErrorDomain:
        "not permitted: a protected file while the device is locked, or the app's sandbox"
      case _ where error.domain != NSURLErrorDomain: nil
      case (_, 0): "the request does not allow a cellular network"
      case (_, 1): "the request does not allow an expensive network"
      case (_, 2): "the request does not allow a constrained network"
      case (_, 3): "the network is constrained too much for the request, such as that of a satellite"
      case (-1009, _):
        "no network, or no permission for the local network (NSLocalNetworkUsageDescription in the Info.plist)"
      case (-1020, _): "cellular data is not allowed for the app, or no permission for the local network"
      case (-1201, _): "the certificate has expired, or the date of the device is wrong"
      case (-1204, _): "the certificate is not yet valid, or the date of the device is wrong"
      case (-1022, _): "App Transport Security, which the app's Info.plist configures, refuses the URL"
      case (-995, _): "a background session of an app extension needs a shared container"
      default: nil
      }
    return "\(error.domain) \(error.code)" + (hint.map { ": \($0)" } ?? "")
  }

  /// Creates the error of a connection that failed in the app's own code, such as in another library; `nil` for any
  /// other error.
  ///
  /// Apps throw `URLError.badServerResponse` or `userAuthenticationRequired` for a response that they reject, so these
  /// are not such errors.
  init?(ofConnection error: any Error) {
    let codes: [Code] = [
      .unreachable, .timedOut, .cannotFindHost, .cannotConnect, .connectionLost, .secureConnectionFailed,
      .untrustedCertificate,
    ]
    let code = Code(urlLoading: error)
    guard codes.contains(code) else { return nil }
    self.init(code, reason: Self.reason(ofURLLoading: error, unavailability: nil), underlying: error)
  }

  /// Returns the error with the path as the party at fault if a proxy caused it, by the error of URL loading: the
  /// server was not reached.
  package func attributingProxies(by error: (any Error)?) -> NetworkError {
    guard let error = error as NSError?, error.domain == "kCFErrorDomainCFNetwork",
      Code.proxyFailures.contains(error.code)
    else { return self }
    var attributed = self
    attributed.attribution = Attribution(.path)
    return attributed
  }
}

extension Signal where Failure == NetworkError {
  /// Creates a signal that runs an async operation, such as several requests, and sends its result.
  ///
  /// The variant of `task` for a closure with untyped errors. A ``NetworkError`` is delivered unchanged. A
  /// `CancellationError` becomes an error with the code ``NetworkError/Code/cancelled``, a failed connection of another
  /// library (`URLError`, `POSIXError`) the `network` error or ``NetworkError/Code/unreachable``, and any other error a
  /// `processing` error with the code ``NetworkError/Code/transformFailed``. Each subscription starts its own task.
  /// Disposal cancels the task.
  /// - Parameters:
  ///   - priority: The priority of the task. Default: the subscriber's.
  ///   - operation: The operation to run.
  /// - Returns: A cold signal of one value.
  @_disfavoredOverload
  public static func task(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Value
  ) -> Signal {
    task(priority: priority) { () async throws(NetworkError) in
      do { return try await operation() } catch { throw NetworkError(ofTask: error) }
    }
  }
}

extension NetworkError {
  fileprivate init(ofTask error: any Error) {
    self =
      error as? NetworkError ?? NetworkError(ofConnection: error)
      ?? (error is CancellationError
        ? .cancellation
        : NetworkError(.transformFailed, reason: "the task's closure threw \(Swift.type(of: error))", underlying: error)
          .withExcerpt("\(error)"))
  }
}
