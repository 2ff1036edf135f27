import Foundation
import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What carries the requests.
enum Client: String, Sendable {
  case urlSession = "urlsession"
  case sessionTransport = "session-transport"
  case curlTransport = "curl-transport"

  var title: String {
    switch self {
    case .urlSession: "URLSession"
    case .sessionTransport: "client over URLSessionTransport"
    case .curlTransport: "client over CurlTransport"
    }
  }

  var isOurs: Bool { self != .urlSession }

  /// The transport, for those that are one.
  ///
  /// - Parameters:
  ///   - limit: how many exchanges may be in flight; `nil` for the transport's default.
  ///   - authorities: which authorities to trust; `nil` for the system's.
  /// - Returns: the transport.
  /// - Throws: what its settings have wrong.
  func transport(limit: Int? = nil, authorities: URL? = nil) throws -> any Transport {
    switch self {
    case .curlTransport:
      var settings = TransportSettings()
      if let limit {
        settings.concurrencyLimit = limit
        settings.concurrencyLimitPerHost = limit
      }
      settings.trust.authorities = authorities
      return try CurlTransport(settings)
    case .urlSession, .sessionTransport:
      return URLSessionTransport(configuration: limit == nil ? nil : Client.configuration(limit: limit))
    }
  }

  func client(limit: Int? = nil, authorities: URL? = nil) throws -> NetworkClient {
    NetworkClient(.init(transport: try transport(limit: limit, authorities: authorities)))
  }

  /// A session that works as `URLSessionTransport`'s does, so that the difference is not in the settings.
  static func session(limit: Int? = nil) -> URLSession { URLSession(configuration: configuration(limit: limit)) }

  private static func configuration(limit: Int?) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = limit ?? 64
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return configuration
  }
}

/// One request and its answer; `done` is called when all has come and was right.
typealias Exchange = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

extension Client {
  /// A small GET; decoded into the envelope, or as it came.
  ///
  /// `URLSession` cannot be told on Linux which authorities to trust: it takes what the system trusts.
  func exchange(_ address: String, isDecoded: Bool, authorities: URL? = nil) throws -> Exchange {
    if self == .urlSession { return Client.sessionExchange(address, isDecoded) }
    let client = try client(authorities: authorities)
    let request = Request(.get, RequestPath(address))
    if isDecoded {
      return { done in
        client.enqueue(request: request, resultType: Envelope.self)
          .subscribe(
            onValue: { if !$0.value.isRight { fail("the envelope is another") } },
            onFailure: { fail("\($0)") }, onCompletion: done)
      }
    }
    return { done in
      client.exchange(request: request)
        .subscribe(
          onValue: { if $0.value.count != Site.envelopeByteCount { fail("the body has another length") } },
          onFailure: { fail("\($0)") }, onCompletion: done)
    }
  }

  private static func sessionExchange(_ address: String, _ isDecoded: Bool) -> Exchange {
    let (session, url) = (session(), URL(address: address))
    return { done in
      session.dataTask(with: url) { data, response, error in
        guard let data, (response as? HTTPURLResponse)?.statusCode == 200 else {
          fail("no answer: \(String(describing: error))")
        }
        if isDecoded {
          let envelope = try? JSONDecoder().decode(Envelope.self, from: data)
          if envelope?.isRight != true { fail("the envelope is another") }
        } else if data.count != Site.envelopeByteCount {
          fail("the body has another length")
        }
        done()
      }.resume()
    }
  }
}

/// Does an exchange and waits for its end.
func wait(for exchange: Exchange) async {
  await withCheckedContinuation { continuation in exchange { continuation.resume() } }
}
