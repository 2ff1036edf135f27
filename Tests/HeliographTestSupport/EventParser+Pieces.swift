import Foundation

@testable import Heliograph

extension EventParser {
  /// The events in some pieces.
  package mutating func events(in pieces: [Data]) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for piece in pieces {
      append(piece)
      while let event = try? next() { events.append(event) }
    }
    return events
  }
}
