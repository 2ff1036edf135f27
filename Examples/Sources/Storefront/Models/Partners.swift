/// What the warehouse keeps for an order.
struct Reservation: Codable, Hashable, Sendable {
  let line: OrderLine
  /// Which app has asked, as the warehouse understood it.
  let channel: String
}

/// What has been paid.
struct Receipt: Codable, Hashable, Sendable {
  let order: Order.ID
  let cents: Int
}
