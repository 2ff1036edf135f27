import Foundation
import Heliograph
import HeliographTesting
import TestSupport

/// Settings that trust the tests' own authority, use no proxy of the machine's and reuse connections at any time.
package func secureSettings(
  _ adjust: (inout TransportSettings) throws -> Void = { _ in }
) throws -> TransportSettings {
  var settings = TransportSettings()
  settings.trust.authorities = try Certificates.file("ca.pem")
  settings.proxy = .direct
  settings.maximumConnectionIdleTime = .seconds(86_400)
  try adjust(&settings)
  return settings
}

package func secureClient(
  _ adjust: (inout TransportSettings) throws -> Void = { _ in }
) throws -> NetworkClient {
  NetworkClient(.open(try CurlTransport(try secureSettings(adjust))))
}

/// Records a `GET` of a URL's text, to its end, over a transport of its own.
package func record(
  _ url: String, _ adjust: (inout TransportSettings) throws -> Void = { _ in }
) async throws -> SignalRecorder<Response<Data>, NetworkError> {
  try await record(Request(.get, RequestPath(url)), adjust)
}

/// Records one request, to its end, over a transport of its own.
package func record(
  _ request: some RequestConvertible, _ adjust: (inout TransportSettings) throws -> Void = { _ in }
) async throws -> SignalRecorder<Response<Data>, NetworkError> {
  let recorder = SignalRecorder(try secureClient(adjust).exchange(request: request))
  await recorder.waitForEnd()
  return recorder
}
