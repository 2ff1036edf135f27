import Foundation
import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A way in which a secret gets into a request.
package enum SecretKind: String, CaseIterable, Sendable {
  case clientHeader, serviceHeader, commonParameter, commonHeader, clientFilter, serviceFilter
  case clientMiddleware, serviceMiddleware, signatureInHeader, signatureInQuery, cookieJar
  case requestAuthorization, requestToken, requestCookie, requestHost, formPassword, jsonPassword

  /// Whether the request itself carries it: to the address that it names, it is sent.
  package var isOfRequest: Bool {
    switch self {
    case .requestAuthorization, .requestToken, .requestCookie, .requestHost, .formPassword, .jsonPassword: true
    default: false
    }
  }

  package var isBody: Bool { self == .formPassword || self == .jsonPassword }

  /// The secret: a text that stands nowhere else, of characters that every place may hold.
  package var text: String { "s3cr3t\(rawValue.lowercased())" }

  private struct Adding: RequestFilter {
    let text: String

    func filter(_ draft: inout RequestDraft) throws(NetworkError) {
      draft.query.append(ParameterPair("filtered", text))
      draft.headers["X-Filtered"] = text
    }
  }

  /// A service that adds what the kinds say.
  package struct Guild: Service {
    package let id: ServiceID = "guild"
    package let url: URL
    package var headers: HTTPHeaders = [:]
    package var common: [CommonParameters] = []
    package var filters: [any RequestFilter] = []
    package var middleware: [any Middleware] = []
    package var signer: (any Signer)?

    package init(url: URL) { self.url = url }

    package func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
  }

  private var authorization: HeaderMiddleware {
    let text = text
    return .authorization { .just(try? .bearer(token: text)) }
  }

  /// The configuration of a client whose own server is at an address.
  package func configuration(at url: URL, _ transport: any Transport) throws -> NetworkClient.Configuration {
    var guild = Guild(url: url)
    var headers: HTTPHeaders = [:]
    var filters: [any RequestFilter] = []
    var middleware: [any Middleware] = []
    var cookies: HTTPCookieStorage?
    let text = text
    switch self {
    case .clientHeader: headers = ["X-App-Key": text]
    case .serviceHeader: guild.headers = ["X-Service-Key": text]
    case .commonParameter: guild.common = [CommonParameters("all", ["token": text])]
    case .commonHeader: guild.common = [CommonParameters("all", [:], headers: ["X-Common-Key": text])]
    case .clientFilter: filters = [Adding(text: text)]
    case .serviceFilter: guild.filters = [Adding(text: text)]
    case .clientMiddleware: middleware = [authorization]
    case .serviceMiddleware: guild.middleware = [authorization]
    case .signatureInHeader:
      guild.signer = HMACSigner(
        key: Data("key".utf8), location: .header, signatureName: "X-Guild-Mark", timestampName: "X-Guild-Time",
        nonceName: "X-Guild-Once", nonce: { text })
    case .signatureInQuery: guild.signer = HMACSigner(key: Data("key".utf8), nonce: { text })
    case .cookieJar: cookies = try .inMemory
    default: break
    }
    var configuration = NetworkClient.Configuration(
      baseURL: url, headers: headers, services: [guild], transport: transport)
    configuration.filters = filters
    configuration.middleware = middleware
    configuration.cookies = cookies
    return configuration
  }

  /// The request to an address, with the secret if it is the request's own.
  package func request(_ path: String, service: ServiceID? = "guild") -> Request {
    var request = Request(isBody ? .post : .get, RequestPath(path), service: service)
    switch self {
    case .requestAuthorization: request.headers = ["Authorization": "Bearer \(text)"]
    case .requestToken: request.headers = ["X-Auth-Token": text]
    case .requestCookie: request.headers = ["Cookie": "session=\(text)"]
    case .requestHost: request.headers = ["Host": "\(text).example"]
    case .formPassword: request.parameters = ["password": text]
    case .jsonPassword: request.body = .json(["password": text])
    default: break
    }
    return request
  }
}

/// A way in which a request leaves its origin, or seems to.
package enum SecretExit: CaseIterable, Sendable, CustomStringConvertible {
  case absolute, shouted, disguised, base, query
  case redirect(Int)
  case port(Int)
  case relative, user, scheme

  package static var allCases: [SecretExit] {
    [.absolute, .shouted, .disguised, .base, .query, .relative, .user, .scheme]
      + [301, 302, 303, 307, 308].flatMap { [.redirect($0), .port($0)] }
  }

  package var description: String {
    switch self {
    case .absolute: "an absolute address"
    case .shouted: "an absolute address in capitals"
    case .disguised: "an address with the own one in front of an @"
    case .base: "an address of the request's own"
    case .query: "an address in a query"
    case .redirect(let status): "\(status) to another host"
    case .port(let status): "\(status) to another port"
    case .relative: "a redirect without a scheme"
    case .user: "a redirect with a user"
    case .scheme: "a redirect to another scheme"
    }
  }

  /// Whether the request names the other server itself.
  package var isDirect: Bool {
    switch self {
    case .absolute, .shouted, .base: true
    default: false
    }
  }

  /// Whether the own server gets the request first.
  package var passesOwnServer: Bool {
    switch self {
    case .absolute, .shouted, .disguised, .base: false
    default: true
    }
  }

  /// The status and the target of the redirect; `nil` if it is none.
  package func redirect(to port: UInt16) -> (status: Int, location: String)? {
    switch self {
    case .redirect(let status): (status, "http://localhost:\(port)/arrive")
    case .port(let status): (status, "http://127.0.0.1:\(port)/arrive")
    case .relative: (302, "//localhost:\(port)/arrive")
    case .user: (302, "http://ada:pw@localhost:\(port)/arrive")
    case .scheme: (302, "ftp://localhost:\(port)/arrive")
    default: nil
    }
  }
}
