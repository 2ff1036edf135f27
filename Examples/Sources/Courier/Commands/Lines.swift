import Foundation
import Heliograph

/// `courier lines URL`: a text that grows, line by line.
struct Lines: Command {
  static let summary = CommandSummary(
    name: "lines", operands: ["URL"], purpose: "print lines as they arrive",
    details: """
      Prints each line as soon as it has arrived, for logs and newline-delimited JSON.
      Ends with the response.
      """,
    options: [],
    examples: ["courier lines https://example.com/log", "courier lines https://example.com/export.ndjson | jq .id"])

  private let address: Address

  init(_ arguments: Arguments) throws(Failure) {
    address = try Address(arguments.operand(0))
  }

  func run(_ context: Context) async throws {
    let client = context.client()
    for try await line in client.lines(request: context.request(.get, address)).values {
      try context.write(Data("\(line)\n".utf8))
    }
  }
}
