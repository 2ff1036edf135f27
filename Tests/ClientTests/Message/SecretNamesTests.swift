import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Which header fields are secret: one setting for all that shows or forwards them.
struct SecretNamesTests {
  @Test(arguments: [
    "Authorization", "COOKIE", "set-cookie", "X-Auth-Token", "X-Api-Key", "Private-Token", "X-CSRF-Token",
    "X-Auth-Key", "X-Functions-Key", "X-Parse-Master-Key", "X-Session", "X-GitHub-OTP", "DPoP", "X-RateLimit-Token",
    "X-Access-Control-Token", "Access-Control-Token",
    "X-Shopify-Access-Token", "X-Client-Secret", "X-Hub-Signature-256",
    "Ocp-Apim-Subscription-Key",
  ])
  func credentialsAreNotShown(_ name: String) {
    let headers = HTTPHeaders([.init(name: name, value: "hidden")])
    expect(!"\(headers)".contains("hidden"))
    expect("\(headers)".contains(name))
  }

  @Test(arguments: [
    "X-Timestamp", "X-Nonce", "Accept", "X-Request-ID", "Idempotency-Key", "Access-Control-Allow-Credentials",
    "Access-Control-Max-Age",
    "X-RateLimit-Remaining-Tokens", "X-RateLimit-Limit-Tokens", "Anthropic-RateLimit-Tokens-Remaining", "X-Author",
    "X-Compass", "X-Spinner", "Sec-Fetch-Site", "ETag", "X-Sign-Up", "WWW-Authenticate", "X-Design",
  ])
  func otherFieldsAre(_ name: String) {
    expectEqual("\(HTTPHeaders([.init(name: name, value: "shown")]))", "\(name): shown")
  }

  /// A client that reads its realm and scope must find them in a recording, and a developer the error in a log.
  @Test func aChallengeHasNoCredentials() {
    for value in [
      #"Bearer realm="https://auth.example/token",service="shop",scope="pull""#, #"Bearer error="invalid_token""#,
      #"Basic realm="r", Digest realm="r", nonce="n", qop="auth""#,
    ] { expectEqual(HTTPHeaders.Field(name: "WWW-Authenticate", value: value).redactedValue, value) }
    for value in ["Bearer abcdef", "Basic YWRhOnB3==", #"Basic YWRhOnB3=""#, #"Bearer token="s3cret""#, "bearer x=1"] {
      let shown = HTTPHeaders.Field(name: "X-Note", value: value).redactedValue
      expect(shown != value, "\(shown)")
    }
  }

  @Test func eachNameIsFoundInBothCases() {
    for name in HTTPHeaders.secretNames where name.utf8.allSatisfy({ $0 < 0x80 }) {
      expect(HTTPHeaders.isSecret(name))
      expect(HTTPHeaders.isSecret(name.uppercased()))
    }
  }

  @Test func anAppAddsItsOwnNamesForDescriptionsAndRedirects() throws {
    let headers: HTTPHeaders = ["Accept-Shop-Emblem": "abc"]
    expect("\(headers)".contains("abc"))
    HTTPHeaders.addSecretNames("Accept-Shop-EMBLEM")
    expect(HTTPHeaders.secretNames.contains("accept-shop-emblem"))
    expectEqual("\(headers)", "Accept-Shop-Emblem: <redacted>")
    let stub = StubTransport()
    stub.on("GET", "/a", .status(302, headers: ["Location": "https://b.example/b"]))
    stub.on("GET", "/b", .status(204))
    let request = HTTPRequest(url: try require(URL(string: "https://a.example/a")), headers: headers)
    let recorder = SignalRecorder(RedirectingTransport(stub).send(request))
    expect(recorder.isCompleted)
    expectNil(stub.requests.last?.headers["Accept-Shop-Emblem"])
    expectEqual(stub.requests.count, 2)
  }

  @Test func theirNamesAreThoseOfParametersToo() throws {
    let request = HTTPRequest(url: try require(URL(string: "https://a.example/?shop_badge=hunter2&page=1")))
    HTTPHeaders.addSecretNames("shop_badge")
    expectEqual(request.curlCommand, "curl 'https://a.example/?shop_badge=<redacted>&page=1'")
  }

  @Test func aNameThatIsNotASCIIIsSecretInEachOfItsForms() {
    HTTPHeaders.addSecretNames("shop-cl\u{E9}")
    expect(HTTPHeaders.isSecret("Shop-cle\u{301}"))
    expect(!HTTPHeaders.isSecret("Shop-cle"))
  }

  /// Of RFC 6749 and RFC 8414; the URLs have no secret.
  @Test(arguments: [
    "token_type", "tokenType", "token_endpoint", "authorization_endpoint", "token_endpoint_auth_methods_supported",
    "id_token_signing_alg_values_supported",
  ])
  func theMetadataOfAnAuthorizationServerIsShown(_ name: String) {
    let body = #"{"\#(name)":"https://a.example/x","z_token":1}"#
    let shown = #"{"\#(name)":"https://a.example/x","z_token":"<redacted>"}"#
    expectEqual(body.redactedBody(of: "application/json"), shown)
    expectEqual(SecretRedaction().redactedJSON(body), shown)
    for secret in ["token_types", "endpoint_token", "token_supported"] {
      expectEqual(#"{"\#(secret)":"x"}"#.redactedBody(of: nil), #"{"\#(secret)":"<redacted>"}"#)
    }
  }

  @Test func aNameThatIsAddedLaterIsSecretInJSONThatWasShownBefore() {
    let body = #"{"shop_ribbon":"hunter2","page":1}"#
    expectEqual(body.redactedBody(of: "application/json"), body)
    HTTPHeaders.addSecretNames("Shop_Ribbon")
    expectEqual(body.redactedBody(of: "application/json"), #"{"shop_ribbon":"<redacted>","page":1}"#)
  }

  @Test func theNameOfASignatureInAQueryIsSecret() throws {
    for name in [nil, "chosen_mark"] {
      var draft = RequestDraft(url: try require(URL(string: "https://a.example/")))
      try HMACSigner(key: Data("key".utf8), signatureName: name).sign(&draft)
      let pair = try require(draft.query.last)
      let url = try require(URL(string: "https://a.example/?\(pair.name)=\(pair.value ?? "")"))
      expectEqual(HTTPRequest(url: url).curlCommand, "curl 'https://a.example/?\(pair.name)=<redacted>'")
    }
  }

  @Test func theFieldOfASignatureIsSecretWhateverItIsCalled() throws {
    let signer = HMACSigner(
      key: Data("key".utf8), location: .header, signatureName: "X-Chosen-Mark", timestampName: "X-Chosen-Time",
      nonceName: "X-Chosen-Once", nonce: { "once" })
    var draft = RequestDraft(url: try require(URL(string: "https://a.example/")))
    try signer.sign(&draft)
    let mark = try require(draft.headers["X-Chosen-Mark"])
    let text = "\(draft.headers)"
    expect(!text.contains(mark))
    expect(text.contains("X-Chosen-Mark: <redacted>"))
    expect(text.contains("X-Chosen-Once: once"))
  }
}
