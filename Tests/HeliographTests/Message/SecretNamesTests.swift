import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Which header fields are secret: one setting for all that shows or forwards them.
@Suite struct SecretNamesTests {
  @Test(arguments: [
    "Authorization", "COOKIE", "set-cookie", "X-Auth-Token", "X-Api-Key", "Private-Token", "X-CSRF-Token",
    "X-Shopify-Access-Token", "X-Client-Secret", "X-Hub-Signature-256", "Ocp-Apim-Subscription-Key",
  ])
  func credentialsAreNotShown(_ name: String) {
    let headers = HTTPHeaders([.init(name: name, value: "hidden")])
    #expect(!"\(headers)".contains("hidden") && "\(headers)".contains(name))
  }

  @Test(arguments: [
    "X-Timestamp", "X-Nonce", "Accept", "X-Request-ID", "Idempotency-Key", "Access-Control-Allow-Credentials",
    "X-RateLimit-Remaining-Tokens",
  ])
  func otherFieldsAre(_ name: String) {
    #expect("\(HTTPHeaders([.init(name: name, value: "shown")]))" == "\(name): shown")
  }

  @Test func anAppAddsItsOwnNamesForDescriptionsAndRedirects() throws {
    let headers: HTTPHeaders = ["Accept-Shop-Session": "abc"]
    #expect("\(headers)".contains("abc"))
    HTTPHeaders.addSecretNames("Accept-Shop-SESSION")
    #expect(HTTPHeaders.secretNames.contains("accept-shop-session"))
    #expect("\(headers)" == "Accept-Shop-Session: <redacted>")
    let stub = StubTransport()
    stub.on("GET", "/a", .status(302, headers: ["Location": "https://b.example/b"]))
    stub.on("GET", "/b", .status(204))
    let request = HTTPRequest(url: try #require(URL(string: "https://a.example/a")), headers: headers)
    let recorder = SignalRecorder(RedirectingTransport(stub).send(request))
    #expect(recorder.isCompleted)
    #expect(stub.requests.last?.headers["Accept-Shop-Session"] == nil && stub.requests.count == 2)
  }

  @Test func theFieldOfASignatureIsSecretWhateverItIsCalled() throws {
    let names = HMACSigner.FieldNames(signature: "X-Chosen-Mark", timestamp: "X-Chosen-Time", nonce: "X-Chosen-Once")
    let signer = HMACSigner(key: Data("key".utf8), place: .header, names: names, nonce: { "once" })
    var draft = RequestDraft(url: try #require(URL(string: "https://a.example/")))
    try signer.sign(&draft)
    let mark = try #require(draft.headers["X-Chosen-Mark"])
    let text = "\(draft.headers)"
    #expect(!text.contains(mark) && text.contains("X-Chosen-Mark: <redacted>") && text.contains("X-Chosen-Once: once"))
  }
}
