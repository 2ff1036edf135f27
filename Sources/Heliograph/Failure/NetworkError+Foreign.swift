import Foundation

extension NetworkError.Code {
  /// Creates the code of an error of the URL loading system or of a layer below it.
  ///
  /// Codes of domains other than `NSURLErrorDomain` have their own tables: 54 means a reset connection only in the POSIX
  /// domain.
  ///
  /// | domain | code |
  /// |---|---|
  /// | `NSURLErrorDomain` | its own; -1015, a malformed body of a known coding, is ``undecodableBody`` |
  /// | `kCFErrorDomainCFNetwork` | its own if negative, because the numbers are the same; else by meaning |
  /// | `NSPOSIXErrorDomain` | by meaning |
  /// | any other | ``unknown`` |
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
    number == NSURLErrorCannotDecodeRawData ? .undecodableBody : .network(number)
  }

  private static func code(ofCFNetwork number: Int) -> NetworkError.Code {
    switch number {
    case ..<0: code(ofURLLoading: number)
    // kCFHostErrorHostNotFound, kCFHostErrorUnknown
    case 1, 2: .cannotFindHost
    // kCFErrorHTTPProxyConnectionFailure, kCFErrorHTTPBadProxyCredentials, kCFErrorHTTPSProxyConnectionFailure and
    // kCFStreamErrorHTTPSProxyFailureUnexpectedResponseToCONNECTMethod
    case 306, 307, 310, 311: .cannotConnect
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
    // NSURLErrorNotConnectedToInternet
    case ENETDOWN: .network(-1009)
    default: .unknown
    }
  }
}
