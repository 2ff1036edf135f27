import Testing

@testable import Courier

@Suite struct AddressTests {
  @Test(arguments: [
    ("example.com/a", "https://example.com/a"), ("HTTP://example.com", "HTTP://example.com"),
    ("localhost:8000/a?b=http://c", "http://localhost:8000/a?b=http://c"), ("localhost", "http://localhost"),
    ("127.0.0.1:80", "http://127.0.0.1:80"), ("[::1]:80/a", "http://[::1]:80/a"), (" a.org \n", "https://a.org"),
  ])
  func theSchemeMayBeMissing(_ text: String, _ url: String) throws {
    #expect(try Address(text).text == url)
  }

  @Test(arguments: ["", "/path", "  "])
  func aPathIsNoURL(_ text: String) {
    #expect { try Address(text) } throws: { ($0 as? Failure)?.code == .invalidURL }
  }

  @Test(arguments: [
    ("https://a.org/b/c.iso", "c.iso"), ("https://a.org/c.iso?d=/e#f", "c.iso"), ("https://a.org", "index.html"),
    ("https://a.org/", "index.html"), ("https://a.org/b/", "index.html"), ("https://a.org/%2e%2e", "index.html"),
    ("https://a.org/..", "index.html"), ("https://a.org/a%20b.txt", "a b.txt"),
    ("https://a.org/..%2F..%2Fetc%2Fpasswd", ".._.._etc_passwd"), ("https://a.org/a%1B%5B2Jb", "a_[2Jb"),
    ("https://a.org/%FF.bin", "%FF.bin"), ("https://a.org/%E4%BD%A0.txt", "你.txt"),
    ("https://a.org?q=1/2", "index.html"),
  ])
  func theNameOfTheFileIsTheLastPartOfThePath(_ url: String, _ name: String) throws {
    #expect(try Address(url).fileName == name)
  }
}
