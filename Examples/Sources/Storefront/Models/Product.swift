/// Something the shop sells.
struct Product: Codable, Identifiable, Hashable, Sendable {
  let id: Int
  let name: String
  /// In cents: money is counted, and floating point does not count.
  let priceCents: Int
  let category: String
  let stock: Int
  let description: String

  var isSoldOut: Bool { stock == 0 }
}

/// What a customer thinks of a product.
struct Review: Codable, Hashable, Sendable {
  let author: String
  let stars: Int
  let text: String
}
