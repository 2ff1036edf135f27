import Foundation
import Heliograph
import Observation

/// The orders of a session: however often the button is tapped, one order is executed.
///
/// It belongs to the session, not to a screen, whose end would cancel an order that the shop may have executed, and lose
/// its key.
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
    if let last, order.error?.isRefusal != false { keys[last] = nil }
    // After a failure, the server may have executed the order nevertheless: the same order has the same key.
    let key = keys[line] ?? UUID().uuidString
    (last, keys[line]) = (line, key)
    engine.buy(line, key: key, session).load(into: \.order, on: self)
  }
}

extension NetworkError {
  /// Whether the shop has read an order and refused it: it may answer the same key with the same refusal.
  fileprivate var isRefusal: Bool {
    if domain == .api { return true }
    guard let statusCode else { return false }
    return 400..<500 ~= statusCode && ![401, 403, 408, 409, 425, 429].contains(statusCode)
  }
}
