import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct HMACSignerTests {
  private func signer(
    _ place: HMACSigner.Location = .query, encoding: HMACSigner.Encoding = .hexadecimal,
    names: [String?] = [nil, nil, nil]
  ) -> HMACSigner {
    HMACSigner(
      key: Data("secret".utf8), location: place, signatureName: names[0], timestampName: names[1], nonceName: names[2],
      encoding: encoding, now: { Date(timeIntervalSince1970: 1_700_000_000.9) }, nonce: { "n-1" })
  }

  private func draft(_ address: String = "https://api.example.com/v1/orders?shop=7") throws -> RequestDraft {
    RequestDraft(url: try require(URL(string: address)))
  }

  /// The example of the documentation; computed by Python's `hmac`, as are the others.
  @Test("S1-35") func givesTheSignatureOfTheExample() throws {
    var draft = try draft()
    draft.method = .post
    draft.form = [ParameterPair("item", "a lamp"), ParameterPair("count", "2")]
    let form = draft.form
    try signer().sign(&draft)
    expectEqual(
      draft.query,
      [
        ParameterPair("timestamp", "1700000000"), ParameterPair("nonce", "n-1"),
        ParameterPair("sign", "3e0e18af0fe88f89064a2b0cc143bfbe1f0cbb2753c602435fa2115355379405"),
      ])
    expectEqual(draft.form, form)
    expect(draft.headers.isEmpty)
    expectEqual(draft.url.absoluteString, "https://api.example.com/v1/orders?shop=7")
  }

  @Test func signsTheBodyAndWritesHeaderFields() throws {
    var draft = try draft("https://api.example.com/a%20b?q#top")
    draft.method = .put
    draft.body = .data(Data(#"{"id":1}"#.utf8))
    draft.headers = ["x-nonce": "old", "Accept": "*/*"]
    try signer(.header, encoding: .base64).sign(&draft)
    expect(draft.query.isEmpty)
    expectEqual(
      draft.headers,
      [
        "Accept": "*/*", "X-Timestamp": "1700000000", "X-Nonce": "n-1",
        "X-Signature": "aGQ/V9kV4D/B3j1MYqXzsnZufcsPQFaX1V6MmShDtqU=",
      ])
  }

  /// What the documentation warns of, and what it says is signed.
  @Test(arguments: [
    ("a=1&a=100", "a=100&a=1", true), ("a=1%2B2", "a=1+2", true), ("a;b=1", "a%3Bb=1", true), ("a", "a=", true),
    ("a=1", "a=2", false), ("a=1", "A=1", false), ("a=1+2", "a=1%202", false), ("a=%0A", "a=", false),
    ("a=1&b=2", "a=1%26b=2", false), ("a=b=c", "a%3Db=c", false), ("a=%C3%A9", "a=e%CC%81", false),
    ("a=.", "a=%2E", true), ("a=%ff", "a=%fe", false),
  ])
  func differentQueriesHaveDifferentSignaturesButForTheKnownOnes(_ one: String, _ other: String, _ isSame: Bool) throws
  {
    let signatures = try [one, other].map { query in
      var draft = try draft("https://h.example/?\(query)")
      try signer().sign(&draft)
      return draft.query.last?.value
    }
    expectEqual(signatures[0] == signatures[1], isSame)
  }

  @Test func filesAndStreamsAreNotRead() throws {
    for body in [HTTPBody.file(URL(fileURLWithPath: "/nowhere")), .stream(BodyStream { BodyStream.pieces(of: []) })] {
      var draft = try draft("https://api.example.com")
      draft.method = .put
      draft.body = body
      try signer().sign(&draft)
      expectEqual(draft.query.last?.value, "4e37320293008c92be580e776a47abb139ecedfbb9ee5fd2492c137bfc13cbdf")
    }
  }

  @Test("S1-35") func sortsAllParametersByTheBytesOfTheirEncodedNamesAndValues() throws {
    let pairs = [
      ("a", "2"), ("a", "10"), ("a", ""), ("a.b", "1"), ("a~", "1"), ("a\u{E9}", "1"), ("A", "1"), ("b c", "+&="),
      ("e", "\u{E9}\u{301}\n\0"), ("", "x"), ("f", nil),
    ].map { ParameterPair($0.0, $0.1) }
    for turn in 0..<pairs.count {
      var draft = try draft("http://h.example?own=x%20%79&plus=1+1&&bad=%25zz")
      let turned = Array(pairs[turn...] + pairs[..<turn])
      draft.query = Array(turned[..<5])
      draft.form = Array(turned[5...])
      try signer().sign(&draft)
      expectEqual(draft.query.last?.value, "dffee6ecff177f882ec3352466ec9ddd30d3c2e82632bb17a3be192e7e8a3039")
    }
  }

  @Test("S1-35") func whatWasSignedBeforeIsReplaced() throws {
    var first = try draft("http://h.example/?a=1&s%69gn=old&nonce=old#top")
    first.query = [ParameterPair("timestamp", "1"), ParameterPair("b", "2")]
    first.form = [ParameterPair("sign", "x"), ParameterPair("c", "3")]
    try signer().sign(&first)
    expectEqual(first.url.absoluteString, "http://h.example/?a=1#top")
    expectEqual(first.query.map(\.name), ["b", "timestamp", "nonce", "sign"])
    expectEqual(first.form, [ParameterPair("c", "3")])
    var second = first
    try signer().sign(&second)
    expectEqual(second.query, first.query)
    var other = try draft("http://h.example/?sign=old")
    try signer().sign(&other)
    expectNil(other.url.query)
  }

  @Test("S1-35") func eachCallTakesANewNonce() throws {
    let signer = HMACSigner(key: Data("secret".utf8))
    let drafts = try (0..<100).map { _ in
      var draft = try draft()
      try signer.sign(&draft)
      return draft
    }
    for name in ["nonce", "sign"] {
      expectEqual(Set(drafts.map { $0.query.first { $0.name == name }?.value }).count, 100)
    }
  }

  @Test func theSameInputGivesTheSameBytes() throws {
    let signatures = try (0..<20).map { _ in
      var draft = try draft()
      try signer().sign(&draft)
      return draft.query
    }
    expectEqual(Set(signatures).count, 1)
  }

  @Test func refusesWhatItCannotSign() throws {
    let signers = [
      HMACSigner(key: Data()),
      signer(names: ["odd-mark", "odd-mark", "b"]),
      signer(.header, names: ["X-A", "B", "x-a"]),
      HMACSigner(key: Data("secret".utf8), now: { Date(timeIntervalSince1970: .infinity) }),
      HMACSigner(key: Data("secret".utf8), now: { Date(timeIntervalSince1970: .nan) }),
    ]
    for signer in signers { expectEqual(refusal(of: signer, try draft()), .invalidSignature) }
    expectEqual(refusal(of: signer(.header), try draft("http://h.example/?X-Nonc%65=1")), .invalidSignature)
    expectNil(refusal(of: signer(.header), try draft("http://h.example/?nonce=1")))
  }

  private func refusal(of signer: HMACSigner, _ draft: RequestDraft) -> NetworkError.Code? {
    var signed = draft
    do throws(NetworkError) {
      try signer.sign(&signed)
      return nil
    } catch {
      expectEqual(error.domain, .client)
      expect(!"\(error)".contains("secret"))
      // What is refused is left as it was.
      expectEqual(signed.url, draft.url)
      expectEqual(signed.query, draft.query)
      expectEqual(signed.headers, draft.headers)
      return error.code
    }
  }

  @Test func theKeyIsShownByNoDescriptionOrDump() {
    let signer = HMACSigner(key: Data("hunter2".utf8))
    for text in ["hunter2", "104, 117", "7 bytes", "68756e"] {
      expectHidden(text, in: signer)
      expectHidden(text, in: [signer as any Signer])
    }
  }
}
