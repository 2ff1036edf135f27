import Signals

/// The services that an app knows, by their identifiers.
///
/// It may be used from any thread. Requirement S0-10.
public final class ServiceRegistry: Sendable {
  /// The one that clients use if they are not given another.
  public static let shared = ServiceRegistry()

  private let services: Guarded<[ServiceID: any Service]>

  /// Makes a registry.
  ///
  /// - Parameter services: what it knows at first; of two with one identifier the later. Default: nothing.
  public init(_ services: [any Service] = []) {
    self.services = Guarded(Dictionary(services.map { ($0.id, $0) }) { _, later in later })
  }

  /// Makes a service known, in the place of one with the same identifier.
  ///
  /// - Parameter service: the service. Requests that are built from now on find it.
  public func register(_ service: any Service) {
    let id = service.id
    services.withLock { $0[id] = service }
  }

  /// All services, in no particular order.
  var all: some Collection<any Service> { services.withLock { $0 }.values }

  /// The service with an identifier: always the same one, as it was registered.
  ///
  /// - Parameter id: the identifier.
  /// - Returns: the service.
  /// - Throws: a `client` error with the code ``NetworkError/Code/unknownService`` if none has been registered.
  public func service(_ id: ServiceID) throws(NetworkError) -> any Service {
    guard let service = services.withLock({ $0[id] }) else {
      throw NetworkError(.client, .unknownService, reason: "no service \(id.rawValue.debugDescription) is registered")
    }
    return service
  }
}
