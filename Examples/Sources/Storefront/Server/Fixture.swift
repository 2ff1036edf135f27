import Foundation

/// The data of the shop, read from the JSON files beside this source.
struct Fixture: Sendable {
  /// A customer in the data of the shop.
  struct Customer: Decodable {
    let profile: Profile
    let password: String
    let orders: [Order]
  }

  let products: [Product]
  let customers: [Customer]
  let reviews: [Review]
  let provinces: [Province]

  init() throws {
    products = try Fixture.read("catalogue")
    customers = try Fixture.read("customers")
    reviews = try Fixture.read("reviews")
    provinces = try Fixture.read("provinces")
  }

  private static func read<Content: Decodable>(_ name: String) throws -> Content {
    guard let url = Bundle.module.url(forResource: name, withExtension: "json") else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "\(name).json"])
    }
    return try JSONDecoder().decode(Content.self, from: Data(contentsOf: url))
  }
}

extension Fixture {
  func product(_ id: Product.ID?) -> Product? { products.first { $0.id == id } }

  func products(containing text: String) -> [Product] {
    products.filter { $0.name.localizedCaseInsensitiveContains(text) }
  }

  func customer(_ id: Profile.ID?) -> Customer? { customers.first { $0.profile.id == id } }

  func customer(_ credentials: Credentials) -> Customer? {
    customers.first { $0.profile.email == credentials.email && $0.password == credentials.password }
  }

  /// Three of the reviews, others for the next product.
  func reviews(of id: Product.ID) -> [Review] {
    (0..<3).map { reviews[(id * 3 + $0) % reviews.count] }
  }
}
