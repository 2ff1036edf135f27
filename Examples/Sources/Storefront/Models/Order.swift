/// An order.
struct Order: Codable, Identifiable, Hashable, Sendable {
  let id: Int
  let placedOn: String
  let lines: [OrderLine]
}

/// A product with its quantity.
struct OrderLine: Codable, Hashable, Sendable {
  let productID: Product.ID
  let quantity: Int
}
