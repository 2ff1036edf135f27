public import Foundation

/// The address of a service that a request is sent to.
public enum AddressKind: Sendable, Hashable {
  /// The main address.
  case main
  /// The secondary address; the main one if the service has no secondary address.
  case secondary
  /// The address of the service's content delivery network; the main one if the service has none.
  case cdn
  /// An address of the request's own; the service's additions go there only if its origin is an own origin.
  case custom(URL)
}
