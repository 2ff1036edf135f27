/// Whether the device has a network at all.
///
/// It says nothing about a server: a network is there, and the server may still not answer.
public enum ReachabilityStatus: Sendable, Hashable {
  /// Nobody can tell: requests are sent.
  case unknown
  /// There is no network: whatever is sent goes nowhere.
  case unreachable
  /// There is a network.
  case reachable

  /// Applies the rule: reachable is what can be reached without something having to be dialled or switched on first.
  ///
  /// - Parameters:
  ///   - isReachable: whether there is a way.
  ///   - isConnectionRequired: whether it must be established first.
  public init(isReachable: Bool, isConnectionRequired: Bool) {
    self = isReachable && !isConnectionRequired ? .reachable : .unreachable
  }
}
