import Signals

/// The services of an app, by their identifiers.
///
/// It may be used on any thread.
public final class ServiceRegistry: Sendable, ExpressibleByArrayLiteral {
  /// The default registry of clients.
  public static let shared = ServiceRegistry()

  private let services: Guarded<[ServiceID: any Service]>

  /// Creates a registry with initial services.
  ///
  /// - Parameter services: The initial services; of two with the same identifier the later one is used. Default: none.
  public init(_ services: [any Service] = []) {
    self.services = Guarded(Dictionary(services.map { ($0.id, $0) }) { _, later in later })
  }

  /// Creates a registry of the services; of two with the same identifier the later one is used.
  public convenience init(arrayLiteral services: any Service...) { self.init(services) }

  /// Registers a service, replacing one with the same identifier.
  ///
  /// - Parameter service: The service. Requests that are built from now on use it.
  public func register(_ service: any Service) {
    let id = service.id
    services.discardWithLock { $0.updateValue(service, forKey: id) }
  }

  var all: some Collection<any Service> { services.withLock { $0 }.values }

  /// Returns the registered instance of the service with an identifier.
  ///
  /// - Parameter id: The identifier.
  /// - Returns: The service.
  /// - Throws: A `client` error with the code ``NetworkError/Code/unknownService`` if none is registered.
  public func service(_ id: ServiceID) throws(NetworkError) -> any Service {
    guard let service = services.withLock({ $0[id] }) else {
      throw NetworkError(.unknownService, reason: "service \(id.rawValue.debugDescription) is not registered")
    }
    return service
  }
}
