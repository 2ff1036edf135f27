/// The network status of the device.
///
/// A server may be unreachable even if there is a network.
public enum ReachabilityStatus: Sendable, Hashable {
  /// The status is unknown; requests are sent.
  case unknown
  /// There is no network, as last reported; requests to this machine are sent in any case.
  case unreachable
  /// There is a network.
  case reachable

  /// Creates a status; a network counts as reachable if no connection must be established first.
  ///
  /// | is reachable | connection required | status |
  /// |---|---|---|
  /// | yes | no | reachable |
  /// | yes | yes | unknown: a request may establish the connection, such as a VPN on demand |
  /// | no | | unreachable |
  /// - Parameters:
  ///   - isReachable: Whether there is a route.
  ///   - isConnectionRequired: Whether a connection must be established first.
  public init(isReachable: Bool, isConnectionRequired: Bool) {
    self = isReachable ? (isConnectionRequired ? .unknown : .reachable) : .unreachable
  }
}
