import Foundation
import Heliograph

extension [TransportEvent] {
  package var head: HTTPResponse? { lazy.compactMap { if case .head(let head) = $0 { head } else { nil } }.first }

  /// The pieces of the body, joined.
  package var body: Data {
    reduce(into: Data()) { body, event in if case .body(let data) = event { body.append(data) } }
  }

  package var metrics: Metrics? { lazy.compactMap { if case .metrics(let metrics) = $0 { metrics } else { nil } }.last }
}
