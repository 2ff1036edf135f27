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
  private var last: OrderLine?
  /// The keys by which the shop recognizes the orders whose outcome is unknown.
  private var keys: [OrderLine: String] = [:]

  init(engine: CustomerEngine, session: Session) {
    self.engine = engine
    self.session = session
  }

  func submit(_ line: OrderLine) {
    // A new load would replace the one in progress, whose order the server may have executed.
    if order.isLoading { return }
    if let last, order.error == nil { keys[last] = nil }
    // After a failure, the server may have executed the order nevertheless: the same order has the same key.
    let key = keys[line] ?? UUID().uuidString
    (last, keys[line]) = (line, key)
    engine.buy(line, key: key, session).load(into: \.order, on: self)
  }
}
