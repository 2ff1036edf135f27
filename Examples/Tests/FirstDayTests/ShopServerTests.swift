import Testing

@testable import FirstDay

@Suite struct ShopServerTests {
  @Test func aServerStopsWhenNothingUsesIt() throws {
    weak var released: ShopServer?
    do {
      let server = try ShopServer()
      released = server
      #expect(server.refreshCount == 0)
    }
    #expect(released == nil)
  }
}
