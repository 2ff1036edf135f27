import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct PublicSuffixTests {
  @Test(arguments: [
    "com", "de", "localhost", "co.uk", "com.br", "or.jp", "gov.uk", "github.io", "blob.core.windows.net", "com.",
    "co.uk.", "", "com.au", "execute-api.eu-west-1.amazonaws.com", "s3.amazonaws.com", "elb.amazonaws.com", "a.run.app",
    "eu-west-1.elasticbeanstalk.com", "westeurope-01.azurewebsites.net", "azure-api.net",
  ])
  func nobodyOwnsASuffix(_ domain: String) { expect(PublicSuffix.contains(domain[...])) }

  @Test(arguments: [
    "shop.example", "shop.co.uk", "co.example", "t.co", "ann.github.io", "windows.net", "www.gov.uk", "amazonaws.com",
  ])
  func theRestIsSomebodys(_ domain: String) { expect(!PublicSuffix.contains(domain[...])) }

  @Test(arguments: [
    ("www.shop.example", "shop.example"), ("shop.example", "shop.example"), ("a.b.shop.co.uk", "shop.co.uk"),
    ("co.uk", "co.uk"), ("x.ann.github.io", "ann.github.io"),
    ("a.box.blob.core.windows.net", "box.blob.core.windows.net"), ("localhost", "localhost"),
    ("ann.execute-api.eu-west-1.amazonaws.com", "ann.execute-api.eu-west-1.amazonaws.com"),
    ("s3.amazonaws.com", "s3.amazonaws.com"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("com", "com"),
  ])
  func aSiteIsWhatIsRegistered(_ host: String, _ site: String) {
    expectEqual(String(PublicSuffix.site(of: host)), site)
  }

  @Test(arguments: [
    ("https://a.shop.example/", "https://b.Shop.example/x", true), ("https://a.co.uk/", "https://b.co.uk/", false),
    ("http://shop.example/", "https://shop.example/", false), ("http://127.0.0.1:1/", "http://127.0.0.1:2/", true),
    ("http://127.0.0.1/", "http://localhost/", false),
  ])
  func sitesHaveAScheme(_ one: String, _ other: String, _ areSame: Bool) throws {
    let (one, other) = (try require(URL(string: one)), try require(URL(string: other)))
    expectEqual(one.isSameSite(as: other), areSame)
    expectEqual(other.isSameSite(as: one), areSame)
  }
}
