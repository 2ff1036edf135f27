import Foundation
import Heliograph
import Observation

/// The order screen: however often the button is tapped, one order is executed.
@MainActor
@Observable
final class OrderModel {
  private(set) var order = Loadable<Order>.idle

  private let engine: CustomerEngine
  private let session: Session
  /// The last order sent, with the key by which the shop recognizes it.
  private var sent: (line: OrderLine?, key: String) = (nil, "")

  init(engine: CustomerEngine, session: Session) {
    self.engine = engine
    self.session = session
  }

  func submit(_ line: OrderLine) {
    // A new load would replace the one in progress, whose order the server may have executed.
    if order.isLoading { return }
    // After a failure, the server may have executed the order nevertheless: the same order has the same key.
    if order.error == nil || sent.line != line { sent = (line, UUID().uuidString) }
    engine.buy(line, key: sent.key, session).load(into: \.order, on: self)
  }
}
