import Foundation
import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private let address = URL(string: "https://api.example.com/v1")
private let key = Data("a secret of thirty-two characters".utf8)
private let now = Date(timeIntervalSince1970: 1_700_000_000)
private let nonce = "7d444840-9dc0-11d1-b245-5ffdce74fad2"

private struct Shop: Service {
  let id: ServiceID = "shop"
  let common: [CommonParameters] = [CommonParameters("app", ["app": "heliograph", "version": "1.0.3"])]
  let signer: (any Signer)? = HMACSigner(key: key, now: { now }, nonce: { nonce })

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { address.map { ServiceAddresses($0) } }
}

private let builder = {
  var builder = RequestBuilder(baseURL: address)
  builder.services = ServiceRegistry([Shop()])
  return builder
}()

@inline(never)
private func signed(_ number: Int) throws -> HTTPRequest {
  let request = Request(
    .get, "/products/search", service: "shop",
    parameters: [
      "q": "floor lamp, café & bar", "page": number, "size": 20, "sort": "price:asc", "stock": true,
      "brand": "Leuchten Müller", "min": 19.5, "max": 250,
    ])
  return try builder.build(request)
}

@inline(never)
private func plain(_ number: Int) throws -> HTTPRequest { try builder.build(Request(.get, "/products/\(number)")) }

/// The same, as it is done without us.
private enum ByHand {
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  @inline(never)
  static func signed(_ number: Int) -> URLRequest? { signed(number, encoded) }

  /// The same with an encoder that somebody took the time to write.
  @inline(never)
  static func signedByAnEncoder(_ number: Int) -> URLRequest? { signed(number) { PercentEncoding.query.encode($0) } }

  @inline(__always)
  private static func signed(_ number: Int, _ encoded: (String) -> String) -> URLRequest? {
    let pairs = [
      ("app", "heliograph"), ("version", "1.0.3"), ("q", "floor lamp, café & bar"), ("page", String(number)),
      ("size", "20"), ("sort", "price:asc"), ("stock", "true"), ("brand", "Leuchten Müller"), ("min", "19.5"),
      ("max", "250"), ("timestamp", String(Int64(now.timeIntervalSince1970))), ("nonce", nonce),
    ]
    guard let address, var parts = URLComponents(url: address, resolvingAgainstBaseURL: true) else { return nil }
    parts.path += "/products/search"
    let query = pairs.map { encoded($0.0) + "=" + encoded($0.1) }
    let body = SHA256.hash(Data()).hexadecimal
    let message = "GET\n" + parts.percentEncodedPath + "\n" + query.sorted().joined(separator: "&") + "\n" + body
    let signature = HMAC.sha256(Data(message.utf8), key: key).hexadecimal
    parts.percentEncodedQuery = query.joined(separator: "&") + "&sign=" + signature
    return parts.url.map { URLRequest(url: $0) }
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }

  @inline(never)
  static func plain(_ number: Int) -> URLRequest? {
    guard let address, var parts = URLComponents(url: address, resolvingAgainstBaseURL: true) else { return nil }
    parts.path += "/products/\(number)"
    return parts.url.map { URLRequest(url: $0) }
  }
}

extension Case {
  /// Requests from what a caller writes to what a transport gets, beside the same by hand with `URLComponents`.
  static func requests() -> [Case] {
    [
      building("signed GET of 10 parameters, x by hand", target: 3, signed, ByHand.signed),
      building("signed GET of 10 parameters, x by hand and encoder", target: 3, signed, ByHand.signedByAnEncoder),
      building("plain GET below a base address, x by hand", target: nil, plain, ByHand.plain),
    ]
  }

  private static func building(
    _ name: String, target: Double?, _ build: @escaping (Int) throws -> HTTPRequest,
    _ byHand: @escaping (Int) -> URLRequest?
  ) -> Case {
    let count = 100
    // Both have to come to the same.
    for number in 0..<count {
      let (built, made) = (try? build(number), byHand(number))
      precondition(built != nil && built?.url == made?.url, "\(name): \(String(describing: made))")
    }
    return Case(
      name: "build a \(name)", target: target, operations: count,
      baseline: { for number in 0..<count { blackHole(byHand(number)) } },
      prepare: {
        {
          var done = 0
          for number in 0..<count {
            guard let request = try? build(number) else { continue }
            blackHole(request)
            done += 1
          }
          return done
        }
      })
  }
}
