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

private let client = NetworkClient(baseURL: address) {
  $0.services = [Shop()]
  $0.transport = InstantTransport(body: Data())
}

@inline(never)
private func signed(_ number: Int) throws -> HTTPRequest {
  let request = Request(
    .get, "/products/search", service: "shop",
    parameters: [
      "q": "floor lamp, café & bar", "page": number, "size": 20, "sort": "price:asc", "stock": true,
      "brand": "Leuchten Müller", "min": 19.5, "max": 250,
    ])
  return try client.httpRequest(for: request)
}

@inline(never)
private func plain(_ number: Int) throws -> HTTPRequest {
  try client.httpRequest(for: Request(.get, "/products/\(number)"))
}

/// The same, as it is done without us.
@inline(never)
private func plainByHand(_ number: Int) -> URLRequest? {
  guard let address, var parts = URLComponents(url: address, resolvingAgainstBaseURL: true) else { return nil }
  parts.path += "/products/\(number)"
  return parts.url.map { URLRequest(url: $0) }
}

extension Case {
  /// Requests from what a caller writes to what a transport gets; a plain one beside the same by hand with `URLComponents`.
  static func requests() -> [Case] {
    [
      building("signed GET of 10 parameters", signed),
      building("plain GET below a base address, x by hand", plain, plainByHand),
    ]
  }

  private static func building(
    _ name: String, _ build: @escaping (Int) throws -> HTTPRequest, _ byHand: ((Int) -> URLRequest?)? = nil
  ) -> Case {
    let count = 100
    if let byHand {
      // Both have to come to the same.
      for number in 0..<count {
        let (built, made) = (try? build(number), byHand(number))
        precondition(built != nil && built?.url == made?.url, "\(name): \(String(describing: made))")
      }
    }
    return Case(
      name: "build a \(name)", target: nil, operations: count,
      baseline: byHand.map { byHand in { for number in 0..<count { blackHole(byHand(number)) } } },
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
