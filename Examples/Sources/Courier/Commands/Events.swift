import Foundation
import Heliograph

/// `courier events URL`: server-sent events, one after another.
struct Events: Command {
  static let summary = CommandSummary(
    name: "events", operands: ["URL"], purpose: "print server-sent events as they arrive",
    details: """
      Prints each event as it arrives: its id, its type and its data, and an empty
      line. After a lost connection it connects again and asks for the events after
      the last one, as often as needed, or --retry N times without an event between.
      Ends with Ctrl-C, or when the server answers 204.
      """,
    options: [.lastEventID, .jsonLines],
    examples: [
      "courier events https://example.com/prices",
      "courier events https://example.com/prices --last-event-id 41",
      "courier events https://example.com/prices --json | jq -r .data",
    ])

  private let address: Address
  private let options: EventStreamOptions
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(Failure) {
    address = try Address(arguments.operand(0))
    options = EventStreamOptions(
      lastEventID: arguments.value(of: .lastEventID), reconnectionLimit: try arguments.count(of: .retry))
    isJSON = arguments.has(.jsonLines)
  }

  func run(_ context: Context) async throws {
    let client = context.client(verb: "connecting")
    for try await event in client.events(request: context.request(.get, address), options: options).values {
      try context.write(Data((isJSON ? event.jsonLine : event.text).utf8))
    }
  }
}

extension ServerSentEvent {
  /// The event in the format of event streams.
  fileprivate var text: String {
    var lines = id.map { ["id: \($0)"] } ?? []
    if type != "message" { lines.append("event: \(type)") }
    lines += data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)" }
    return lines.joined(separator: "\n") + "\n\n"
  }

  /// The event as a JSON object on one line.
  fileprivate var jsonLine: String {
    var members: [String: JSON] = ["event": .string(type), "data": .string(data)]
    if let id { members["id"] = .string(id) }
    return "\(JSON.object(members))\n"
  }
}
