/// When an order could be delivered.
struct DeliverySlot: Codable, Hashable, Sendable {
  let day: String
  let hours: String
}

/// What the shop announces above its front page.
struct Banner: Decodable, Hashable, Sendable {
  let headline: String
}
