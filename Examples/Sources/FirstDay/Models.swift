import Foundation
import Heliograph

struct User: Codable, Sendable, Equatable {
  let id: Int
  let name: String
}

struct Product: Codable, Sendable, Equatable {
  let id: Int
  let name: String
  let addedAt: Date
}

struct NewOrder: Codable, Sendable {
  let product: Int
  let wantedAt: Date
}

struct Order: Codable, Sendable {
  let id: Int
}

struct Session: Codable, Sendable, Equatable {
  let token, refreshToken: String
}

struct Credentials: Codable, Sendable {
  let user: String
  let password: String
}

enum Sorting: String, ParameterConvertible {
  case name
  case newest
}
