extension NetworkError {
  /// The identity of an error: its domain, and the cause within that domain.
  ///
  /// ```swift
  /// switch error.code {
  /// case .status(404): showEmptyList()
  /// case .api(1004): signIn()
  /// case .timedOut, .unreachable: offerRetry()
  /// default: show(error.message)
  /// }
  /// ```
  /// The type is open: later versions may add codes, and every HTTP status and every service's code is valid.
  ///
  /// | domain | codes |
  /// |---|---|
  /// | client | the constants documented as such |
  /// | network | the URL loading system's, as in `URLError.Code`: ``network(_:)`` and the constants documented as such |
  /// | server | the HTTP status: ``status(_:)`` |
  /// | api | the service's own code: ``api(_:)-(Int)``, ``api(_:)-(String)`` |
  /// | processing | the constants documented as such |
  public struct Code: Hashable, Sendable {
    /// The stage of the request that failed.
    public let domain: Domain
    /// The number within the domain: an HTTP status, the service's own code, a `URLError.Code`, or the number of one of
    /// the constants below.
    ///
    /// It is -1011 (NSURLErrorBadServerResponse) for a service's code that is not a number.
    public let number: Int
    /// The service's code if it is not a number: `E17`.
    let name: String?
    /// Whether a service may report the code: `false` for ``rejected`` alone, which equals no reported code.
    private let isReported: Bool

    /// Creates a code from its domain and number.
    ///
    /// Use it for codes without a constant, such as those of your own transport or middleware.
    /// - Parameters:
    ///   - domain: The stage that failed.
    ///   - number: The number within the domain.
    public init(_ domain: Domain, _ number: Int) { self.init(domain, number, isReported: true) }

    private init(_ domain: Domain, _ number: Int, name: String? = nil, isReported: Bool) {
      self.domain = domain
      self.number = number
      self.name = name
      self.isReported = isReported
    }

    /// Server: a rejected HTTP status.
    public static func status(_ status: Int) -> Code { Code(.server, status) }

    /// API: a numeric code of a service for a failed operation.
    public static func api(_ number: Int) -> Code { Code(.api, number) }

    /// API: a textual code of a service for a failed operation; `"1004"` is the same code as the number 1004.
    public static func api(_ text: String) -> Code {
      if let number = Int(text), String(number) == text { return .api(number) }
      return Code(.api, rejected.number, name: text, isReported: true)
    }

    /// Network: a code of the URL loading system that has no constant here.
    public static func network(_ number: Int) -> Code { Code(.network, number) }

    /// Client: the URL is malformed, relative without a base URL, or has a scheme other than HTTP.
    public static let invalidURL = Code(.client, 600)
    /// Client: the method is not a token (RFC 9110 §5.6.2), is `CONNECT` or `TRACE`, or is one such as `get`, which
    /// `URLSession` would send in upper case.
    public static let invalidMethod = Code(.client, 601)
    /// Client: a header name or value is invalid (RFC 9110 §5.5), or only the transport may set the field.
    public static let invalidHeader = Code(.client, 602)
    /// Client: the body could not be encoded or read, or its length differs from the declared length.
    public static let invalidBody = Code(.client, 603)
    /// Client: a redirect leads from HTTPS to HTTP, or to plain HTTP that is not allowed.
    public static let insecureRedirect = Code(.client, 604)
    /// Client: a redirect leads to a URL that is malformed, is not HTTP, or contains user information.
    public static let invalidRedirect = Code(.client, 605)
    /// Client: the redirect chain is longer than the limit.
    public static let tooManyRedirects = Code(.client, 606)
    /// Client: a transport, a cache folder or a cassette cannot be used: a setting is invalid, a file or the library is
    /// missing, or the process has no file descriptors or thread for the transport.
    public static let invalidTransport = Code(.client, 607)
    /// Client: the parameters could not be encoded or contain an unsupported value such as NaN or too many levels.
    public static let invalidParameters = Code(.client, 608)
    /// Client: the request names an unregistered service.
    public static let unknownService = Code(.client, 610)
    /// Client: the service has no address in the current environment.
    public static let noAddress = Code(.client, 611)
    /// Client: the URL is plain HTTP, which neither the service nor the client allows.
    public static let insecureAddress = Code(.client, 612)
    /// Client: the environment or the account changed while the request was in flight.
    public static let contextChanged = Code(.client, 613)
    /// Client: the request selects common parameters that its service does not have.
    public static let unknownCommonParameters = Code(.client, 614)
    /// Client: URL and header fields exceed ``HTTPRequest/maximumHeadByteCount`` or the transport's limit.
    public static let requestTooLarge = Code(.client, 617)
    /// Client: a user name or password contains invalid characters (RFC 7617 §2), a token a space, a control character
    /// or one outside ASCII, or a stored token cannot be read.
    public static let invalidCredentials = Code(.client, 620)
    /// Client: the request cannot be signed: its signer has no key, or two of its fields or a parameter have the same
    /// name.
    public static let invalidSignature = Code(.client, 621)
    /// Client: a redirect would send the body to another origin, or its ``RedirectPolicy`` rejects it.
    public static let redirectRefused = Code(.client, 622)
    /// Client: `makeURL`, a filter, signer or middleware has moved the request to an origin that the client does not
    /// own.
    public static let untrustedOrigin = Code(.client, 623)
    /// Client: the next page has already been read; see `Pages`.
    public static let pageLoop = Code(.client, 626)
    /// Client: a file cannot be created: its folder is missing or not writable, or the name is taken.
    ///
    /// The cause, if any, is in ``NetworkError/underlying``: a `POSIXError`, or Foundation's error.
    public static let cannotCreateFile = Code(.client, 627)
    /// Client: a file cannot be written; the cause, usually a `POSIXError`, is in ``NetworkError/underlying``.
    public static let cannotWriteFile = Code(.client, 628)
    /// Client: there is no space left for a file: the disk is full, or a quota or a limit of the process is reached.
    ///
    /// The cause is the `POSIXError` in ``NetworkError/underlying``.
    public static let diskFull = Code(.client, 629)
    /// Client: another download or HAR monitor is writing to the same file.
    public static let fileInUse = Code(.client, 630)
    /// Client: the environment cannot be switched in a release build, or is not among the choices.
    public static let switchRefused = Code(.client, 609)
    /// Client: the host's circuit is open, because recent requests to it have failed.
    public static let circuitOpen = Code(.client, 615)
    /// Client: the policy allows only the cache, which has no response for the request.
    public static let notCached = Code(.client, 619)
    /// Client: there have been too many refreshes recently, or the refresh ended silently, such as with its owner, or
    /// threw ``cancelled`` or an error that is neither a ``NetworkError`` nor a failed connection of another library.
    public static let recoveryRefused = Code(.client, 616)
    /// Client: the refresh of a ``Recovery`` took longer than its total timeout.
    public static let recoveryTimedOut = Code(.client, 618)
    /// Client: the call, batch or chain is already in flight, or the chain has already run.
    public static let alreadyStarted = Code(.client, 624)
    /// Client: a signal that must have a value completed without one, as after a 304, or when a ``Lane`` has dropped
    /// it.
    public static let noValue = Code(.client, 625)
    /// Client: the request was cancelled (NSURLErrorCancelled).
    ///
    /// `async` calls throw it if their task is cancelled: `send(_:as:)`, `value(of:as:)`, loops over `values`.
    /// ``Startable/signal`` fails with it if its run is cancelled by other means, and `reporting(to:)` if the
    /// `Progress` is cancelled. A disposed subscription receives nothing.
    public static let cancelled = Code(.client, -999)
    /// Client: the device has no network.
    public static let unreachable = Code(.client, 668)

    /// API: the operation failed, and the service reports no code; its number is -1011, but it does not equal
    /// `.api(-1011)`.
    public static let rejected = Code(.api, -1011, isReported: false)

    /// Processing: the body is not JSON.
    public static let malformedBody = Code(.processing, 700)
    /// Processing: the shape of the JSON does not match the requested type.
    public static let unexpectedShape = Code(.processing, 701)
    /// Processing: the body is empty, and the requested type has no value for an empty body.
    public static let emptyBody = Code(.processing, 702)
    /// Processing: the app's own code threw an error, which is ``NetworkError/underlying``: a transform, or, while
    /// decoding, a ``BodyDecoder``, an ``Envelope`` or a type's `init(from:)`.
    ///
    /// While decoding, a `DecodingError` or a ``NetworkError`` is not such an error: it reports an invalid body.
    public static let transformFailed = Code(.processing, 703)
    /// Processing: the body does not have the envelope of its service.
    public static let invalidEnvelope = Code(.processing, 704)
    /// Processing: the body does not have its declared shape.
    public static let invalidShape = Code(.processing, 705)
    /// Processing: the content type is not accepted.
    public static let unacceptableType = Code(.processing, 706)
    /// Processing: a downloaded file did not have the expected digest and has been removed.
    public static let digestMismatch = Code(.processing, 707)

    /// Network: the transport does not report a cause (NSURLErrorUnknown).
    public static let unknown = Code(.network, -1)
    /// Network: the idle timeout or the total timeout has elapsed (NSURLErrorTimedOut).
    public static let timedOut = Code(.network, -1001)
    /// Network: the host name cannot be resolved (NSURLErrorCannotFindHost).
    public static let cannotFindHost = Code(.network, -1003)
    /// Network: the connection was refused or could not be established (NSURLErrorCannotConnectToHost).
    public static let cannotConnect = Code(.network, -1004)
    /// Network: the connection was lost before the end of the response (NSURLErrorNetworkConnectionLost).
    public static let connectionLost = Code(.network, -1005)
    /// Network: the response is not HTTP, is longer than declared, or has invalid header fields
    /// (NSURLErrorBadServerResponse).
    public static let invalidResponse = Code(.network, -1011)
    /// Network: the body cannot be decoded by its content coding (NSURLErrorCannotDecodeContentData).
    ///
    /// The body is malformed or truncated, or its coding was not offered or was applied twice; the reason says which.
    public static let undecodableBody = Code(.network, -1016)
    /// Network: the response exceeds ``HTTPRequest/limits`` (NSURLErrorDataLengthExceedsMaximum).
    ///
    /// Over ``URLSessionTransport`` on Apple's platforms also: the consumer is too slow, and the system delivered to a
    /// paused task.
    public static let responseTooLarge = Code(.network, -1103)
    /// Network: the TLS handshake failed (NSURLErrorSecureConnectionFailed).
    public static let secureConnectionFailed = Code(.network, -1200)
    /// Network: the server's certificate is untrusted or does not match a pinned key
    /// (NSURLErrorServerCertificateUntrusted).
    public static let untrustedCertificate = Code(.network, -1202)
    /// Network: the client's certificate was rejected or unreadable (NSURLErrorClientCertificateRejected).
    public static let rejectedClientCertificate = Code(.network, -1205)
  }
}

extension NetworkError.Code: CustomStringConvertible {
  /// The number, or the service's textual code: `404`, `E17`.
  ///
  /// A textual code of at most 120 bytes without control characters is complete, as the raw value of an enumeration. A
  /// longer one ends with an ellipsis, and control characters are escaped, because logs contain it.
  public var description: String { name?.singleLine.shortened(to: 120) ?? String(number) }
}
