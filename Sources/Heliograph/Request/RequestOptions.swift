/// How a request is to be sent, where it is not as its service says; all has a default.
public struct RequestOptions: Sendable {
  /// The idle time-out: the maximum time in which no byte is sent or received.
  ///
  /// Default: `nil`, that of the service, or else of the client.
  public var idleTimeout: Duration?
  /// The total time-out: the maximum time from the subscription to the end.
  ///
  /// It covers all that is done for the request: middleware, token refreshes, queues, redirects, every retry with its delay,
  /// and reading. When it has passed, the request fails with a `network` error with the code
  /// ``NetworkError/Code/timedOut``, whose reason says what it was waiting for. Default: what the service says, else what
  /// the client says.
  public var totalTimeout: Duration?
  /// Which of the service's addresses is meant.
  ///
  /// Default: the main one.
  public var address = AddressKind.main
  /// Which of the service's common parameters are added, in this order; `[]` for none.
  ///
  /// Default: those that the service adds by itself.
  public var common: [CommonParameters.Name]?
  /// Where parameters go.
  ///
  /// Default: where the service puts them.
  public var placement: ParameterPlacement?
  /// Whether the service signs the request.
  ///
  /// Default: `true`.
  public var isSigned = true
  /// Whether the request may be sent again when it is not known whether it has arrived.
  ///
  /// Default: `true` with an ``idempotencyKey``, else what the method says, see ``HTTPMethod/isIdempotent``.
  public var isIdempotent: Bool?
  /// Changes this request on the way out, after the client's and the service's.
  ///
  /// Default: nothing.
  public var middleware: [any Middleware] = []

  /// How the response is judged and read, where it is not as the service says; every other stage still runs.
  ///
  /// Default: as the service says.
  public var stages: Stages? {
    get { rare?.contents.stages }
    set { set { $0.stages = newValue } }
  }
  /// The rules for JSON: of the body, of parameters and of the response.
  ///
  /// Default: `nil`, those of the service, or else of the client.
  public var json: JSONCoding? {
    get { rare?.contents.json }
    set { set { $0.json = newValue } }
  }
  /// The app's own user-facing messages for errors of this request.
  ///
  /// They come before those of the service, which come before those of the client. Default: none.
  public var messages: ErrorMessages {
    get { rare?.contents.messages ?? ErrorMessages() }
    set { set { $0.messages = newValue } }
  }
  /// How often it is sent again when it fails.
  ///
  /// Default: as its service, or else the client says.
  public var retry: Retry? {
    get { rare?.contents.retry }
    set { set { $0.retry = newValue } }
  }
  /// A key by which the server recognizes the attempts of one request, so that a `POST` may be retried.
  ///
  /// It is sent as `Idempotency-Key`, unless the request has that field already, and is signed like any other field.
  /// Default: `nil`, none.
  public var idempotencyKey: IdempotencyKey? {
    get { rare?.contents.idempotencyKey }
    set { set { $0.idempotencyKey = newValue } }
  }
  /// How the parameters of this request are written.
  ///
  /// Default: `nil`, as its service, or else the client says.
  public var rules: ParameterRules? {
    get { rare?.contents.rules }
    set { set { $0.rules = newValue } }
  }
  /// Change this request before it is signed, in place of the filters of the client and the service.
  ///
  /// Default: `nil`, those of the client and then of the service; `[]` for none.
  public var filters: [any RequestFilter]? {
    get { rare?.contents.filters }
    set { set { $0.filters = newValue } }
  }
  /// Signs this request, in place of the service's signer; only while ``isSigned``, and for no address of another origin.
  ///
  /// Default: `nil`, the service's.
  public var signer: (any Signer)? {
    get { rare?.contents.signer }
    set { set { $0.signer = newValue } }
  }
  /// Whether the client's recoveries apply to this request.
  ///
  /// A refresh need not say it: the client that it gets has no recoveries. Default: `true`.
  public var allowsRecovery: Bool {
    get { rare?.contents.allowsRecovery ?? true }
    set { set { $0.allowsRecovery = newValue } }
  }
  /// How a person is told of its failure, by whoever shows errors.
  ///
  /// Default: as that one has it.
  public var presentation: PresentationStyle? {
    get { rare?.contents.presentation }
    set { set { $0.presentation = newValue } }
  }
  /// Whether the request starts before or after others that wait for a place.
  ///
  /// Default: ``RequestPriority/normal``.
  public var priority: RequestPriority {
    get { rare?.contents.priority ?? .normal }
    set { set { $0.priority = newValue } }
  }
  /// What is done with redirects.
  ///
  /// Default: `nil`, what ``NetworkClient/Configuration/redirects`` says.
  public var redirects: RedirectPolicy? {
    get { rare?.contents.redirects }
    set { set { $0.redirects = newValue } }
  }
  /// Whether a redirect may take the body to another origin: a form's password goes along.
  ///
  /// Otherwise such a redirect fails with ``NetworkError/Code/redirectRefused``. Default: `false`.
  public var sendsBodyAcrossOrigins: Bool {
    get { rare?.contents.sendsBodyAcrossOrigins ?? false }
    set { set { $0.sendsBodyAcrossOrigins = newValue } }
  }
  /// The maximum length of the response, head and body.
  ///
  /// Default: `nil`, what ``NetworkClient/Configuration/limits`` says.
  public var limits: ResponseLimits? {
    get { rare?.contents.limits }
    set { set { $0.limits = newValue } }
  }
  private var rare: Rare?

  /// Makes options; set the properties that matter.
  public init() {}

  /// What few requests state: one word in all others, which are copied often.
  private struct Contents: Sendable {
    var stages: Stages?
    var json: JSONCoding?
    var messages = ErrorMessages()
    var rules: ParameterRules?
    var filters: [any RequestFilter]?
    var signer: (any Signer)?
    var retry: Retry?
    var idempotencyKey: IdempotencyKey?
    var allowsRecovery = true
    var presentation: PresentationStyle?
    var priority = RequestPriority.normal
    var redirects: RedirectPolicy?
    var sendsBodyAcrossOrigins = false
    var limits: ResponseLimits?
  }

  private indirect enum Rare: Sendable {
    case some(Contents)

    var contents: Contents {
      switch self {
      case .some(let contents): contents
      }
    }
  }

  private mutating func set(_ change: (inout Contents) -> Void) {
    var contents = rare?.contents ?? Contents()
    change(&contents)
    rare = .some(contents)
  }

  /// Options of background requests, such as a prefetch or the refresh of a visible list.
  ///
  /// Failures are not presented (``PresentationStyle/silent``); subscribers still get them. The priority is
  /// ``RequestPriority/low``.
  public static let background = with {
    $0.presentation = .silent
    $0.priority = .low
  }

  /// The options with some of them set.
  ///
  /// ```swift
  /// let request = Request(.get, "/news", options: .with { $0.address = .cdn })
  /// ```
  /// - Parameter set: sets them.
  /// - Returns: the options.
  public static func with(_ set: (inout RequestOptions) -> Void) -> RequestOptions {
    var options = RequestOptions()
    set(&options)
    return options
  }
}
