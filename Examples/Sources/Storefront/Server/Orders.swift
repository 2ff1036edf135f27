import Synchronization

/// The orders that the shop has executed; one that is sent twice with the same key is executed once.
final class Orders: Sendable {
  private struct Book {
    var orders: [Order] = []
    var numbers: [String: Int] = [:]
    var losesResponse = false
  }

  private let book = Mutex(Book())

  /// The number of executed orders.
  var count: Int { book.withLock { $0.orders.count } }

  /// Makes the shop lose the connection after it has executed the next order.
  func loseNextResponse() {
    book.withLock { $0.losesResponse = true }
  }

  /// Executes an order, unless its customer has sent it before; `isLost` says that its response is lost.
  func place(_ line: OrderLine, key: String?, of customer: Profile.ID) -> (order: Order, isLost: Bool) {
    book.withLock { book in
      let key = key.map { "\(customer) \($0)" }
      if let number = key.flatMap({ book.numbers[$0] }) { return (book.orders[number], false) }
      let order = Order(id: 2001 + book.orders.count, placedOn: "2025-04-01", lines: [line])
      if let key { book.numbers[key] = book.orders.count }
      book.orders.append(order)
      defer { book.losesResponse = false }
      return (order, book.losesResponse)
    }
  }
}
