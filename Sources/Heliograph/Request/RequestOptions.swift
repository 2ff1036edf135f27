/// How a request is to be sent, where it is not as its service says; all has a default.
public struct RequestOptions: Sendable {
  /// How long the exchange may be silent.
  ///
  /// Default: what the service says.
  public var timeout: Duration?
  /// How long all of the exchange may take, from the subscription on.
  ///
  /// Default: as long as it likes.
  public var deadline: Duration?
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
  /// Default: what the method says, see ``HTTPMethod/isIdempotent``.
  public var isRepeatable: Bool?
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
  /// How often it is sent again when it fails.
  ///
  /// Default: as its service, or else the client says.
  public var retry: Retry? {
    get { rare?.contents.retry }
    set { set { $0.retry = newValue } }
  }
  /// Whether the client's recoveries apply to this request.
  ///
  /// A refresh need not say it: the client that it gets has no recoveries. Default: `true`.
  public var isRecovered: Bool {
    get { rare?.contents.isRecovered ?? true }
    set { set { $0.isRecovered = newValue } }
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
  private var rare: Rare?

  /// Makes options; set the properties that matter.
  public init() {}

  /// What few requests state: one word in all others, which are copied often.
  private struct Contents: Sendable {
    var stages: Stages?
    var retry: Retry?
    var isRecovered = true
    var presentation: PresentationStyle?
    var priority = RequestPriority.normal
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
