/// A reservation in the warehouse.
struct Reservation: Codable, Hashable, Sendable {
  let line: OrderLine
  /// The channel that the warehouse has received.
  let channel: String
}

/// A receipt of a payment.
struct Receipt: Codable, Hashable, Sendable {
  let order: Order.ID
  let cents: Int
}
