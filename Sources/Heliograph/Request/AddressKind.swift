public import Foundation

/// Which of a service's addresses a request goes to.
///
/// Requirements S1-20, S4-11.
public enum AddressKind: Sendable, Hashable {
  /// The main one.
  case main
  /// The second one; the main one, where the service has no other.
  case secondary
  /// The one of its content delivery network; the main one, where the service has none.
  case cdn
  /// An address of the request's own; what its service adds goes there only if it is an own origin.
  case custom(URL)
}
