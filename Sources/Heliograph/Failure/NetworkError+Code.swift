extension NetworkError {
  /// The cause of an error within its domain.
  ///
  /// The type is open: HTTP statuses and a server's own codes are codes as well.
  ///
  /// | domain | codes |
  /// |---|---|
  /// | client | those below marked so |
  /// | network | the URL loading system's numbers (negative), as in `URLError.Code` |
  /// | server | the HTTP status |
  /// | api | the server's own code |
  /// | processing | those below marked so |
  public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// The number.
    public let rawValue: Int

    /// Creates a code from a number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Creates a code from a number.
    public init(integerLiteral value: Int) {
      rawValue = value
    }

    /// Client: the URL is malformed, relative without a base URL, or has a scheme other than HTTP.
    public static let invalidURL: Code = 600
    /// Client: the method is not a token (RFC 9110 §5.6.2), or is `CONNECT` or `TRACE`, which are unsupported.
    public static let invalidMethod: Code = 601
    /// Client: a header name or value is invalid (RFC 9110 §5.5), or only the transport may set the field.
    public static let invalidHeader: Code = 602
    /// Client: the body could not be encoded or read, or its length differs from the declared length.
    public static let invalidBody: Code = 603
    /// Client: a redirect leads from HTTPS to HTTP, or to plain HTTP that is not allowed.
    public static let insecureRedirect: Code = 604
    /// Client: a redirect leads to a URL that is malformed, not HTTP, or contains a user.
    public static let invalidRedirect: Code = 605
    /// Client: the redirect chain is longer than the limit.
    public static let tooManyRedirects: Code = 606
    /// Client: the transport's settings cannot be applied: a file or the library is missing.
    public static let invalidTransport: Code = 607
    /// Client: the parameters could not be encoded or contain an unsupported value such as NaN or too many levels.
    public static let invalidParameters: Code = 608
    /// Client: the request names an unregistered service.
    public static let unknownService: Code = 610
    /// Client: the service has no address in the current environment.
    public static let noAddress: Code = 611
    /// Client: the URL is plain HTTP, which neither the service nor the client allows.
    public static let insecureAddress: Code = 612
    /// Client: the environment or the account has changed while the request was in flight.
    public static let contextChanged: Code = 613
    /// Client: the request selects common parameters that its service does not have.
    public static let unknownCommonParameters: Code = 614
    /// Client: URL and header fields exceed ``HTTPRequest/maximumHeadByteCount`` or the transport's limit.
    public static let requestTooLarge: Code = 617
    /// Client: a user name, a password or a token contains invalid characters (RFC 7617 §2, RFC 6750 §2.1).
    public static let invalidCredentials: Code = 620
    /// Client: the request cannot be signed, because its signer has no key or its field names are taken.
    public static let invalidSignature: Code = 621
    /// Client: a redirect would send the body to another origin, or its ``RedirectPolicy`` rejects it.
    public static let redirectRefused: Code = 622
    /// Client: a filter or middleware has moved the request to an origin that is not own.
    public static let untrustedOrigin: Code = 623
    /// Client: the next of several pages is one that has already been read; see `Pages`.
    public static let pageLoop: Code = 626
    /// Client: a file cannot be created: its folder is missing or not writable, or the name is taken.
    ///
    /// The cause is the `POSIXError` in ``NetworkError/underlying``.
    public static let cannotCreateFile: Code = 627
    /// Client: a file cannot be written; the cause is the `POSIXError` in ``NetworkError/underlying``.
    public static let cannotWriteFile: Code = 628
    /// Client: there is no space left for a file: the disk is full, or a quota or a limit of the process is reached.
    ///
    /// The cause is the `POSIXError` in ``NetworkError/underlying``.
    public static let diskFull: Code = 629
    /// Client: another download is writing to the same file.
    public static let fileInUse: Code = 630
    /// Client: the environment cannot be switched in a release build, or is not among the choices.
    public static let switchRefused: Code = 609
    /// Client: the host's circuit is open, because recent requests to it have failed.
    public static let circuitOpen: Code = 615
    /// Client: the request must be answered from the cache, which has no response for it.
    public static let notCached: Code = 619
    /// Client: a refresh is needed, but there have been too many recently, or it threw an error other than a network error.
    public static let recoveryRefused: Code = 616
    /// Client: the refresh of a ``Recovery`` took longer than its total timeout.
    public static let recoveryTimedOut: Code = 618
    /// Client: a call, a batch or a chain is in flight already.
    public static let alreadyStarted: Code = 624
    /// Client: a signal of a ``Batch`` has completed without a value, as after a 304.
    public static let noValue: Code = 625
    /// Client: the task that awaited the request was cancelled (NSURLErrorCancelled).
    ///
    /// Only `async` calls throw it: ``NetworkClient/send(_:as:)-(RequestConvertible,_)``, ``NetworkClient/value(of:as:)-(RequestConvertible,_)`` and loops over
    /// `values`; and ``Startable/signal`` of a call that was cancelled otherwise. A disposed subscription of a signal
    /// receives nothing.
    public static let cancelled: Code = -999
    /// Client: the device was known to have no network before anything was sent; no other failure has this code.
    public static let unreachable: Code = 668

    /// Processing: the body is not JSON.
    public static let malformedBody: Code = 700
    /// Processing: the shape of the JSON does not match the requested type.
    public static let unexpectedShape: Code = 701
    /// Processing: the body is empty, and the requested type has no value for an empty body.
    public static let emptyBody: Code = 702
    /// Processing: the caller's transform threw an error, which is ``NetworkError/underlying``.
    public static let transformFailed: Code = 703
    /// Processing: the body does not have the envelope of its service.
    public static let invalidEnvelope: Code = 704
    /// Processing: the body does not have its declared shape.
    public static let invalidShape: Code = 705
    /// Processing: the content type is not accepted.
    public static let unacceptableType: Code = 706
    /// Processing: a downloaded file does not have its expected digest; it has been removed.
    public static let digestMismatch: Code = 707

    /// Network: the transport does not report a cause (NSURLErrorUnknown).
    public static let unknown: Code = -1
    /// Network: the idle timeout or the total timeout has elapsed (NSURLErrorTimedOut).
    public static let timedOut: Code = -1001
    /// Network: the host name cannot be resolved (NSURLErrorCannotFindHost).
    public static let cannotFindHost: Code = -1003
    /// Network: the connection was refused or could not be established (NSURLErrorCannotConnectToHost).
    public static let cannotConnect: Code = -1004
    /// Network: the connection was lost before the end of the response (NSURLErrorNetworkConnectionLost).
    public static let connectionLost: Code = -1005
    /// Network: the response is not HTTP or longer than declared (NSURLErrorBadServerResponse).
    ///
    /// API: the server rejects the operation without a numeric code; see ``NetworkError/serverCode``.
    public static let invalidResponse: Code = -1011
    /// Network: the body cannot be decoded by its content coding (NSURLErrorCannotDecodeContentData).
    ///
    /// It is malformed or truncated, or has a coding that was not offered or is applied twice; the reason names it.
    public static let undecodableBody: Code = -1016
    /// Network: the response exceeds ``HTTPRequest/limits`` (NSURLErrorDataLengthExceedsMaximum).
    public static let responseTooLarge: Code = -1103
    /// Network: the TLS handshake failed (NSURLErrorSecureConnectionFailed).
    public static let secureConnectionFailed: Code = -1200
    /// Network: the server's certificate is untrusted or has no pinned key (NSURLErrorServerCertificateUntrusted).
    public static let untrustedCertificate: Code = -1202
    /// Network: the client's certificate was rejected or unreadable (NSURLErrorClientCertificateRejected).
    public static let rejectedClientCertificate: Code = -1205
  }
}

extension NetworkError.Code: CustomStringConvertible {
  /// The number.
  public var description: String { String(rawValue) }
}

// The codes of a server may have the same numbers in another domain.
extension NetworkError {
  /// Whether an envelope has rejected the response because its own fields are missing or malformed.
  var isInvalidEnvelope: Bool { domain == .processing && code == .invalidEnvelope }

  /// Whether the account or the environment has changed while the request was in flight.
  var isContextChange: Bool { domain == .client && code == .contextChanged }
}
