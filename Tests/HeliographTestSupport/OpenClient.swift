import Heliograph

extension NetworkClient.Configuration {
  /// One that lets requests go over plain http, and without a network, to hosts that are not this one by their names.
  package static func open(_ transport: any Transport) -> NetworkClient.Configuration {
    var configuration = NetworkClient.Configuration(transport: transport)
    configuration.allowsInsecureHTTP = true
    configuration.reachability = UnwatchedReachability()
    return configuration
  }
}
