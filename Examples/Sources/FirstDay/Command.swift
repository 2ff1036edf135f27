import Foundation
import Heliograph

/// The first day with Heliograph: what the guides show, in one program.
@main
enum Command {
  static func main() async throws {
    let server = try ShopServer()
    defer { withExtendedLifetime(server) {} }
    let shop = ShopClient(baseURL: server.baseURL) { $0.monitors = [ConsoleMonitor(level: .requests)] }
    do throws(NetworkError) {
      print("1. a typed GET:", try await shop.user(7).name)
      do throws(NetworkError) {
        try await shop.signIn(user: "ada", password: "wrong")
        throw NetworkError(.rejected, reason: "a wrong password was accepted")
      } catch {
        guard error.isUnauthorized else { throw error }
        print("2. a refused sign-in:", error.message)
      }
      try await shop.signIn(user: "ada", password: "lovelace")
      let products = try await shop.products(matching: "lamp & more", sortedBy: .newest)
      print("3. a list with search, after a token refresh:", products.map(\.name), "refreshes:", server.refreshCount)
      guard let lamp = products.first else { throw NetworkError(.noValue, reason: "no products") }
      print("4. a POST with JSON:", try await shop.order(lamp, on: .now).id)
      try await shop.upload(Data(count: 1_000_000), of: lamp) { fraction in
        if fraction == 1 { print("5. an upload with progress: all sent") }
      }
    } catch {
      print("failed:", error, error.curlCommand ?? "")
      exit(1)
    }
  }
}
