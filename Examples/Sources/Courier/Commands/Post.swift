import Foundation
import Heliograph

/// `courier post URL`: a request with a body, whose response is printed as it arrives.
struct Post: Command {
  static let summary = CommandSummary(
    name: "post", operands: ["URL"], purpose: "send data and print the response",
    details: """
      Sends a body and prints the body of the response as it arrives, to standard
      output. Without a body option the body is empty. The content type follows the
      option; -H 'Content-Type: …' replaces it.
      """,
    options: [.data, .json, .form],
    examples: [
      "courier post https://api.example.com/orders --json '{\"product\": 7}'",
      "courier post https://api.example.com/orders --json @order.json -X PUT",
      "courier post https://api.example.com/rooms --form name=Library --form floor=2",
      "courier post https://example.com/log -d @a.log -H 'Content-Type: text/plain'",
    ])

  private let address: Address
  private let body: BodyChoice

  init(_ arguments: Arguments) throws(Failure) {
    address = try Address(arguments.operand(0))
    body = try BodyChoice(arguments)
  }

  func run(_ context: Context) async throws {
    let body = try await body.makeBody(input: context.input)
    try await context.print(context.request(.post, address, body: body))
  }
}
