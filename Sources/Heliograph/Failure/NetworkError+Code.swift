extension NetworkError {
  /// What went wrong, within its domain.
  ///
  /// Open: HTTP statuses and a server's own codes are codes too.
  ///
  /// | domain | codes |
  /// |---|---|
  /// | client | those below that say so |
  /// | network | the URL loading system's numbers (negative), as in `URLError.Code` |
  /// | server | the HTTP status |
  /// | api | the server's own code |
  /// | processing | those below that say so |
  public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// The number.
    public let rawValue: Int

    /// Makes a code from a number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Makes a code from a number.
    public init(integerLiteral value: Int) {
      rawValue = value
    }

    /// Client: the address is malformed, relative without a base, or of a scheme that is not HTTP.
    public static let invalidURL: Code = 600
    /// Client: the method is not a token (RFC 9110 §5.6.2), or `CONNECT` or `TRACE`, which are not for applications.
    public static let invalidMethod: Code = 601
    /// Client: a header name is not a token, a value holds control characters (RFC 9110 §5.5), or the field is the
    /// transport's to write.
    public static let invalidHeader: Code = 602
    /// Client: the body could not be encoded, read, or is not as long as it was said to be.
    public static let invalidBody: Code = 603
    /// Client: a redirect leads from https to http, or to plain http that is not allowed.
    public static let insecureRedirect: Code = 604
    /// Client: a redirect leads to an address that is malformed, not HTTP, or names a user.
    public static let invalidRedirect: Code = 605
    /// Client: more redirects than the limit.
    public static let tooManyRedirects: Code = 606
    /// Client: the transport cannot do what its settings say: a file is missing, or the library is not there.
    public static let invalidTransport: Code = 607
    /// Client: the parameters could not be encoded, or hold what cannot be written: NaN, or too many levels.
    public static let invalidParameters: Code = 608
    /// Client: the request names a service that has not been registered.
    public static let unknownService: Code = 610
    /// Client: the service has no address in the current environment.
    public static let noAddress: Code = 611
    /// Client: the address is plain http, which neither the service nor the client allows.
    public static let insecureAddress: Code = 612
    /// Client: the environment or the account has changed while the request was in flight.
    public static let contextChanged: Code = 613
    /// Client: the request selects common parameters that its service does not have.
    public static let unknownCommonParameters: Code = 614
    /// Client: address and header fields together are longer than ``HTTPRequest/maximumHeadByteCount``, or than the
    /// transport can send.
    public static let requestTooLarge: Code = 617
    /// Client: a user's name, a password or a token holds what it must not (RFC 7617 §2, RFC 6750 §2.1).
    public static let invalidCredentials: Code = 620
    /// Client: the request cannot be signed, as its signer has no key or its fields' names are taken.
    public static let badSignature: Code = 621
    /// Client: a redirect would send the body to another origin, or its ``RedirectPolicy`` refuses it.
    public static let redirectRefused: Code = 622
    /// Client: a filter or middleware has moved the request to an origin that is not an own one.
    public static let untrustedOrigin: Code = 623
    /// Client: the environment cannot be switched: the build is one for release, or the environment is not among the choices.
    public static let switchRefused: Code = 609
    /// Client: the circuit of the host is open: it has failed so often that it is left alone for a while.
    public static let circuitOpen: Code = 615
    /// Client: it would have to be recovered from once more, though that has been done too often lately.
    public static let recoveryRefused: Code = 616
    /// Client: the refresh of a ``Recovery`` took longer than its total time-out.
    public static let recoveryTimedOut: Code = 618
    /// Client: the task that awaited the request was cancelled (NSURLErrorCancelled).
    ///
    /// Only `async` calls throw it: ``NetworkClient/send(_:as:)``, ``NetworkClient/value(of:as:)`` and loops over `values`.
    /// A signal whose subscription is disposed stays silent.
    public static let cancelled: Code = -999
    /// Client: the device has no network, as was known before anything was sent; nothing else has this code.
    public static let unreachable: Code = 668

    /// Processing: the body is not JSON.
    public static let malformedBody: Code = 700
    /// Processing: the body is JSON of another shape than the type that was asked for.
    public static let unexpectedShape: Code = 701
    /// Processing: the body is empty, and the type that was asked for has no value for that.
    public static let emptyBody: Code = 702
    /// Processing: the caller's transform threw an error, which is ``NetworkError/underlying``.
    public static let transformFailed: Code = 703
    /// Processing: the answer is not wrapped as its service wraps answers.
    public static let badEnvelope: Code = 704
    /// Processing: the body does not have the shape that was declared for it.
    public static let invalidShape: Code = 705
    /// Processing: the content type is none of the accepted ones.
    public static let unacceptableType: Code = 706

    /// Network: the transport does not say what went wrong (NSURLErrorUnknown).
    public static let unknown: Code = -1
    /// Network: the exchange was silent, or took, too long (NSURLErrorTimedOut).
    public static let timedOut: Code = -1001
    /// Network: the host's name is not known (NSURLErrorCannotFindHost).
    public static let cannotFindHost: Code = -1003
    /// Network: the connection was refused or could not be made (NSURLErrorCannotConnectToHost).
    public static let cannotConnect: Code = -1004
    /// Network: the connection broke, or ended before the response did (NSURLErrorNetworkConnectionLost).
    public static let connectionLost: Code = -1005
    /// Network: what came was not an HTTP response, or longer than it said (NSURLErrorBadServerResponse).
    ///
    /// API: the server says no without a number of its own; see ``NetworkError/serverCode``.
    public static let invalidResponse: Code = -1011
    /// Network: the body is not what its content coding says, or only a part of it, or of a coding that was not offered or
    /// twice over, which the reason names (NSURLErrorCannotDecodeContentData).
    public static let undecodableBody: Code = -1016
    /// Network: the response is longer than ``HTTPRequest/limits`` (NSURLErrorDataLengthExceedsMaximum).
    public static let responseTooLarge: Code = -1103
    /// Network: no TLS connection could be agreed on (NSURLErrorSecureConnectionFailed).
    public static let secureConnectionFailed: Code = -1200
    /// Network: the server's certificate is not trusted, or its key is none of the pinned ones
    /// (NSURLErrorServerCertificateUntrusted).
    public static let untrustedCertificate: Code = -1202
    /// Network: the client's own certificate was not accepted, or could not be read (NSURLErrorClientCertificateRejected).
    public static let rejectedClientCertificate: Code = -1205
  }
}

extension NetworkError.Code: CustomStringConvertible {
  /// The number.
  public var description: String { String(rawValue) }
}
