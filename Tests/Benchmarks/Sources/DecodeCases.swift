import Foundation
import Heliograph
import Signals

private struct Product: Decodable, Sendable {
  let id: Int
  let name: String
  let price: Double
  let tags: [String]
  let isInStock: Bool
}

/// The same answer as somebody writes it down who needs no library.
private struct Answer<Payload: Decodable>: Decodable {
  let code: Int
  let msg: String
  let data: Payload
}

private let one = Data(#"{"code":0,"msg":"","data":\#(product(7))}"#.utf8)
private let many = Data(#"{"code":0,"msg":"","data":[\#((0..<50).map(product).joined(separator: ","))]}"#.utf8)

private func product(_ number: Int) -> String {
  #"{"id":\#(number),"name":"Floor lamp \#(number)","price":\#(number).95,"tags":["lamp","floor","café"],"isInStock":true}"#
}

extension Case {
  /// Responses in an envelope, judged and decoded in one pass by a client, beside a plain decode of the same bytes.
  ///
  /// Of a body of a hundred bytes the exchange itself is the most; that line only informs.
  static func decoding() -> [Case] {
    [
      decoding("50 products in an envelope, x a plain decode", target: 1.25, many, [Product].self),
      decoding("a product in an envelope, x a plain decode", target: nil, one, Product.self),
    ]
  }

  private static func decoding<Payload: Decodable & Sendable>(
    _ name: String, target: Double?, _ body: Data, _ type: Payload.Type
  ) -> Case {
    let count = 20
    let client = NetworkClient(baseURL: URL(string: "https://api.example.com")) {
      $0.transport = InstantTransport(body: body)
      $0.stages.envelope = .codeMessageData
      $0.processing = .immediate
    }
    return Case(
      name: "decode \(name)", target: target, operations: count,
      baseline: {
        for _ in 0..<count {
          guard let answer = try? JSONDecoder().decode(Answer<Payload>.self, from: body), answer.code == 0 else {
            continue
          }
          blackHole(answer)
        }
      },
      prepare: {
        let tally = Tally()
        return {
          for _ in 0..<count {
            let signal = client.enqueue(request: Request(.get, "/products"), resultType: type)
            signal.subscribe(onValue: { _ in tally.add() }, onFailure: { _ in })
          }
          return tally.take()
        }
      })
  }
}
