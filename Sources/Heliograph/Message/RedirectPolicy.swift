/// The policy for redirects: 3xx responses that name another URL.
///
/// ```swift
/// let policy = RedirectPolicy.decide { head, proposed in
///   proposed.url.path.hasPrefix("/login") ? .stop : .follow(proposed)
/// }
/// ```
/// Two policies are equal if they have the same rule. A policy with a closure equals only its copies.
public struct RedirectPolicy: Sendable, Hashable {
  enum Rule: Sendable, Hashable {
    case follow(limit: Int?)
    case stop
    case decide(Identified<@Sendable (HTTPResponse, HTTPRequest) -> RedirectDecision>)
  }

  let rule: Rule

  /// Follows redirects, up to ``NetworkClient/Configuration/redirectLimit``.
  public static let follow = RedirectPolicy(rule: .follow(limit: nil))

  /// Follows redirects up to a limit; the next one fails with ``NetworkError/Code/tooManyRedirects``.
  ///
  /// - Parameter limit: The maximum number of redirects; 0 or less refuses the first.
  /// - Returns: The policy.
  public static func follow(limit: Int) -> RedirectPolicy { RedirectPolicy(rule: .follow(limit: max(limit, 0))) }

  /// Follows no redirect: the 3xx is delivered, whatever its `Location`.
  public static let stop = RedirectPolicy(rule: .stop)

  /// Asks a closure about each redirect that the rules allow, up to ``NetworkClient/Configuration/redirectLimit``.
  ///
  /// - Parameter decide: Receives the head of the 3xx and the proposed request, built by the rules of
  ///   ``NetworkClient/Configuration/redirects``; for another origin, the request lacks the fields that must not be
  ///   sent there. Called on the transport's thread; must not block.
  /// - Returns: The policy.
  public static func decide(
    _ decide: @escaping @Sendable (_ head: HTTPResponse, _ proposed: HTTPRequest) -> RedirectDecision
  ) -> RedirectPolicy {
    RedirectPolicy(rule: .decide(Identified(decide)))
  }
}

/// The decision of a closure about a redirect; see ``RedirectPolicy/decide(_:)``.
public enum RedirectDecision: Sendable {
  /// Sends this request: the proposed one, or a changed one, to which the same rules apply.
  case follow(HTTPRequest)
  /// Stops following: the 3xx is delivered.
  case stop
  /// Fails with ``NetworkError/Code/redirectRefused`` and a reason for developers.
  case refuse(reason: String)
}
