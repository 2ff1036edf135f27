/// A province that the shop delivers to.
struct Province: Codable, Hashable, Sendable {
  let code: String
  let name: String
}
