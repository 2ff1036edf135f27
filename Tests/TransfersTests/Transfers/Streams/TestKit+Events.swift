import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting

extension TestKit {
  /// Subscribes to the events at `/events`.
  func events(
    _ options: EventStreamOptions = EventStreamOptions()
  ) -> SignalRecorder<ServerSentEvent, NetworkError> {
    SignalRecorder(client.events(request: "/events", options: options))
  }

  /// The last event IDs of the requests.
  var sentIDs: [String?] { stub.requests.map { $0.headers["Last-Event-ID"] } }
}

extension StubAnswer {
  /// A whole response with an event stream.
  static func events(_ text: String) -> StubAnswer { .data(Data(text.utf8), contentType: "text/event-stream") }
}

extension NetworkError {
  /// A lost connection.
  static let lost = NetworkError(.connectionLost, reason: "lost")
}
