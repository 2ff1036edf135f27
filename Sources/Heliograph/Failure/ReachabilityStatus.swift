/// Whether a device has a network.
public enum ReachabilityStatus: Sendable, Hashable {
  /// It is not known.
  case unknown
  /// There is none.
  case unreachable
  /// There is one; whether a certain server can be reached over it is another question.
  case reachable
}
