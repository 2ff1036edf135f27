/// A product.
struct Product: Codable, Identifiable, Hashable, Sendable {
  let id: Int
  let name: String
  /// The price in cents: integers avoid rounding errors.
  let priceCents: Int
  let category: String
  let stock: Int
  let description: String

  var isSoldOut: Bool { stock == 0 }
}

/// A review of a product.
struct Review: Codable, Hashable, Sendable {
  let author: String
  let stars: Int
  let text: String
}
