/// What is done with a redirect: a 3xx response that names another address.
///
/// ```swift
/// let policy = RedirectPolicy.decide { head, proposed in
///   proposed.url.path.hasPrefix("/login") ? .stop : .follow(proposed)
/// }
/// ```
/// Two policies are equal if they say the same; policies that decide by a closure equal their copies only.
public struct RedirectPolicy: Sendable, Hashable {
  enum Rule: Sendable, Hashable {
    case follow(limit: Int?)
    case stop
    case decide(Judge)
  }

  let rule: Rule

  /// Follows redirects, as many as ``RedirectingTransport/limit`` allows.
  public static let follow = RedirectPolicy(rule: .follow(limit: nil))

  /// Follows redirects up to a limit; one more fails with ``NetworkError/Code/tooManyRedirects``.
  ///
  /// - Parameter limit: the maximum number of redirects; 0 refuses the first.
  /// - Returns: the policy.
  public static func follow(limit: Int) -> RedirectPolicy { RedirectPolicy(rule: .follow(limit: limit)) }

  /// Follows no redirect: the 3xx is the response, whatever its `Location` says.
  public static let stop = RedirectPolicy(rule: .stop)

  /// Asks a closure about each redirect that the rules allow, up to ``RedirectingTransport/limit``.
  ///
  /// - Parameter decide: gets the head of the 3xx and the request that would follow, as ``RedirectingTransport`` makes it:
  ///   to another origin it has lost what may not go there. Called on the transport's thread; it must not block.
  /// - Returns: the policy.
  public static func decide(
    _ decide: @escaping @Sendable (_ head: HTTPResponse, _ proposed: HTTPRequest) -> RedirectDecision
  ) -> RedirectPolicy {
    RedirectPolicy(rule: .decide(Judge(decide)))
  }

  /// A closure with an identity.
  final class Judge: Sendable, Hashable {
    let decide: @Sendable (HTTPResponse, HTTPRequest) -> RedirectDecision

    init(_ decide: @escaping @Sendable (HTTPResponse, HTTPRequest) -> RedirectDecision) {
      self.decide = decide
    }

    static func == (left: Judge, right: Judge) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}

/// What a closure says about a redirect; see ``RedirectPolicy/decide(_:)``.
public enum RedirectDecision: Sendable {
  /// Sends this request: the proposed one, or a changed one, which is judged by the same rules.
  case follow(HTTPRequest)
  /// Follows no further: the 3xx is the response.
  case stop
  /// Fails with ``NetworkError/Code/redirectRefused`` and a reason for developers.
  case refuse(reason: String)
}
