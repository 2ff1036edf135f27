import Heliograph
import Observation

/// The order screen: however often the button is tapped, one order is sent.
@MainActor
@Observable
final class OrderModel {
  private(set) var order = Loadable<Order>.idle

  private let engine: CustomerEngine
  private let session: Session

  init(engine: CustomerEngine, session: Session) {
    self.engine = engine
    self.session = session
  }

  func submit(_ line: OrderLine) {
    // A new load would replace the one in progress, whose order the server may have executed.
    if order.isLoading { return }
    engine.buy(line, session).load(into: \.order, on: self)
  }
}
