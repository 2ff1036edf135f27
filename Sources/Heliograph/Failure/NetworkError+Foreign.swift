import Foundation

extension NetworkError.Code {
  /// The code of an error of the URL loading system, whichever layer below has made it.
  ///
  /// Codes of other domains than `NSURLErrorDomain` count by other tables: 54 is a reset connection only among POSIX's.
  ///
  /// | domain | code |
  /// |---|---|
  /// | `NSURLErrorDomain` | its own; -1015, a broken body of a known coding, is ``undecodableBody`` |
  /// | `kCFErrorDomainCFNetwork` | its own where negative, as these are the same numbers; else by meaning |
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
    number == NSURLErrorCannotDecodeRawData ? .undecodableBody : NetworkError.Code(rawValue: number)
  }

  private static func code(ofCFNetwork number: Int) -> NetworkError.Code {
    switch number {
    case ..<0: code(ofURLLoading: number)
    // kCFHostErrorHostNotFound, kCFHostErrorUnknown
    case 1, 2: .cannotFindHost
    // kCFErrorHTTPProxyConnectionFailure, kCFErrorHTTPBadProxyCredentials, kCFErrorHTTPSProxyConnectionFailure and
    // kCFStreamErrorHTTPSProxyFailureUnexpectedResponseToCONNECTMethod
    case 306, 307, 310, 311: .cannotConnect
    // The rest of kCFErrorHTTP…: the response cannot be parsed, a stream was closed.
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
    case ENETDOWN: -1009
    default: .unknown
    }
  }
}
