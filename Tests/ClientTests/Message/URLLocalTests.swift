import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct URLLocalTests {
  @Test(arguments: [
    "http://localhost", "http://LOCALHOST:8080/a", "http://127.0.0.1",
    "http://127.255.0.9:1/a",
    "http://[::1]:8080/", "ftp://user@localhost/",
  ])
  func knowsThisMachine(_ text: String) throws {
    try expect(require(URL(string: text)).isLocal)
  }

  @Test(arguments: [
    "http://localhost.example", "http://notlocalhost", "http://128.0.0.1", "http://127.0.0.1.example", "http://127.0.0",
    "http://127.0.0.256", "http://shop.localhost/", "http://127.+0.0.1", "http://127.0.0.1.",
    "http://127.0.0.1@shop.example", "http://[::2]/", "/path", "http:///a", "file:///a",
  ])
  func knowsOthers(_ text: String) throws {
    try expect(!require(URL(string: text)).isLocal)
  }
}
