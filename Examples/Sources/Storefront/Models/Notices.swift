/// A delivery slot.
struct DeliverySlot: Codable, Hashable, Sendable {
  let day: String
  let hours: String
}

/// The announcement above the front page.
struct Banner: Decodable, Hashable, Sendable {
  let headline: String
}
