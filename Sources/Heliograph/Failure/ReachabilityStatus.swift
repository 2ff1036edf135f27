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

  /// Applies the rule: reachable is what can be reached without a connection that must be established first.
  ///
  /// | is reachable | connection required | status |
  /// |---|---|---|
  /// | yes | no | reachable |
  /// | yes | yes | unknown: a request may establish the connection, such as a VPN on demand |
  /// | no | | unreachable |
  /// - Parameters:
  ///   - isReachable: whether there is a way.
  ///   - isConnectionRequired: whether it must be established first.
  public init(isReachable: Bool, isConnectionRequired: Bool) {
    self = isReachable ? (isConnectionRequired ? .unknown : .reachable) : .unreachable
  }
}
