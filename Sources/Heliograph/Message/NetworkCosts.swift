/// Properties of a network that may cost the user money, or that the user wants to use sparingly.
///
/// ```swift
/// prefetch.options.allowedCosts = [.cellular, .expensive]  // no Low Data Mode
/// ```
/// ``RequestOptions/allowedCosts`` limits the networks of a request; ``Reachability/costs`` are those of the network
/// in use.
public struct NetworkCosts: OptionSet, Sendable, Hashable {
  /// A cellular network.
  public static let cellular = NetworkCosts(rawValue: 1)
  /// A network that the system considers expensive: cellular, or a personal hotspot.
  public static let expensive = NetworkCosts(rawValue: 2)
  /// A network in Low Data Mode.
  public static let constrained = NetworkCosts(rawValue: 4)
  /// All costs: every network is allowed.
  public static let all: NetworkCosts = [.cellular, .expensive, .constrained]

  /// The bits of the options.
  public let rawValue: Int

  /// Creates options from their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }
}
