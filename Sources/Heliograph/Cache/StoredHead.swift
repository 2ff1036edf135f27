import Foundation

/// The head of an entry: a stored response without its body, or the header fields that select its variants.
enum StoredHead: Sendable, Hashable {
  case response(StoredResponse)
  case variants(StoredVariants)

  var requestedAt: Date {
    switch self {
    case .response(let response): response.head.requestedAt
    case .variants(let variants): variants.requestedAt
    }
  }

  /// The approximate number of bytes in memory.
  var byteCount: Int {
    switch self {
    case .response(let response):
      // The two strings of a field take 64 bytes in addition to their characters.
      response.head.headers.reduce(response.key.utf8.count + response.url.absoluteString.utf8.count) {
        $0 + $1.name.utf8.count + $1.value.utf8.count + 64
      }
    case .variants(let variants): variants.names.reduce(variants.key.utf8.count) { $0 + $1.utf8.count + 32 }
    }
  }
}

/// A stored response without its body.
struct StoredResponse: Sendable, Hashable {
  var key: String
  /// The URL that responded.
  var url: URL
  var head: CachedHead
  /// The version of the policy that stored the response.
  var version: Int
  /// Whether HTTP allows storing the response, so that ``CachePolicy/http`` may use it.
  var isHTTP: Bool
  /// The number of redirects that led to the response; if there are any, it cannot be validated under its key.
  var redirectCount = 0
  /// Whether a header field that selects the variant is set below the cache, by middleware or as a cookie.
  var variesBelowCache = false
  /// The digest of the request's credentials; empty without any.
  var credentials = ""
  /// The instant until which the redirects that led to the response are fresh.
  var redirectLimit: Date?
  /// The stored range of the representation; `nil` if it is complete.
  var range: ContentRange?
}

extension StoredResponse {
  /// Whether a use of the response is allowed that a newer head of it forbids.
  func allowsMore(than newer: StoredResponse) -> Bool {
    let isStricter = newer.head.cacheControl.noCache && !head.cacheControl.noCache
    return isStricter || isHTTP && !newer.isHTTP || newer.head.lifetime < head.lifetime
  }
}

/// The header fields that select the variants of a response.
struct StoredVariants: Sendable, Hashable {
  var key: String
  /// The names, in lower case and in order.
  var names: [String]
  /// A random number in the keys of the variants.
  var epoch: UInt64
  /// The time at which the newest response that was stored together with the list was requested, not that of variants
  /// stored in it later.
  var requestedAt = Date.distantPast
}

extension StoredHead {
  /// The head as bytes: numbers take eight bytes, and strings are length-prefixed.
  var encoded: Data {
    var writer = HeadWriter()
    switch self {
    case .response(let response):
      writer.add(1)
      writer.add(response.key)
      writer.add(response.url.absoluteString)
      writer.add(response.head.statusCode)
      writer.add(response.head.requestedAt)
      writer.add(response.head.receivedAt)
      writer.add(response.version)
      writer.add((response.isHTTP ? 1 : 0) | (response.variesBelowCache ? 2 : 0) | response.redirectCount << 2)
      writer.add(response.credentials)
      writer.add(response.redirectLimit.map { ["\($0.timeIntervalSinceReferenceDate)"] } ?? [])
      writer.add(response.range.map { [$0.text] } ?? [])
      writer.add(response.head.headers.flatMap { [$0.name, $0.value] })
    case .variants(let variants):
      writer.add(2)
      writer.add(variants.key)
      writer.add(variants.epoch)
      writer.add(variants.requestedAt)
      writer.add(variants.names)
    }
    return writer.data
  }

  /// Creates a head from bytes; `nil` if they are invalid.
  init?(_ data: Data) {
    guard let head = data.withUnsafeBytes({ StoredHead(bytes: $0) }) else { return nil }
    self = head
  }

  private init?(bytes: UnsafeRawBufferPointer) {
    var reader = HeadReader(bytes)
    switch reader.readNumber() {
    case 1:
      guard let key = reader.readText(), let url = reader.readText().flatMap({ URL(string: $0) }),
        let status = reader.readNumber(), let requestedAt = reader.readDate(), let receivedAt = reader.readDate(),
        let version = reader.readNumber(), let flags = reader.readNumber(), let credentials = reader.readText(),
        let limit = reader.readTexts(),
        let range = reader.readTexts(), let fields = reader.readTexts(), reader.isAtEnd, fields.count % 2 == 0
      else { return nil }
      let headers = HTTPHeaders(
        stride(from: 0, to: fields.count, by: 2).lazy
          .map { HTTPHeaders.Field(name: fields[$0], value: fields[$0 + 1]) })
      let head = CachedHead(
        statusCode: status, headers: headers, requestedAt: requestedAt, receivedAt: receivedAt)
      self = .response(
        StoredResponse(
          key: key, url: url, head: head, version: version, isHTTP: flags & 1 != 0,
          redirectCount: flags >> 2, variesBelowCache: flags & 2 != 0, credentials: credentials,
          redirectLimit: limit.first.flatMap(Double.init).map { Date(timeIntervalSinceReferenceDate: $0) },
          range: range.first.flatMap { ContentRange($0) }))
    case 2:
      guard let key = reader.readText(), let epoch = reader.readWord(), let requestedAt = reader.readDate(),
        let names = reader.readTexts(), reader.isAtEnd
      else { return nil }
      self = .variants(StoredVariants(key: key, names: names, epoch: epoch, requestedAt: requestedAt))
    default: return nil
    }
  }
}

private struct HeadWriter {
  private(set) var data = Data()

  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  mutating func add(_ word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
  }

  mutating func add(_ date: Date) { add(date.timeIntervalSinceReferenceDate.bitPattern) }

  mutating func add(_ text: String) {
    add(text.utf8.count)
    data.append(contentsOf: text.utf8)
  }

  mutating func add(_ texts: [String]) {
    add(texts.count)
    for text in texts { add(text) }
  }
}

private struct HeadReader {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  private mutating func skip(_ count: Int) { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }

  mutating func readWord() -> UInt64? {
    guard rest.count >= 8 else { return nil }
    defer { skip(8) }
    return UInt64(littleEndian: rest.loadUnaligned(as: UInt64.self))
  }

  mutating func readNumber() -> Int? { readWord().flatMap { Int(exactly: Int64(bitPattern: $0)) } }

  mutating func readDate() -> Date? {
    guard let word = readWord() else { return nil }
    let seconds = Double(bitPattern: word)
    return seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil
  }

  mutating func readText() -> String? {
    guard let count = readNumber(), count >= 0, count <= rest.count else { return nil }
    defer { skip(count) }
    return String(validating: rest.prefix(count), as: UTF8.self)
  }

  mutating func readTexts() -> [String]? {
    // Each string takes at least the bytes of its length prefix.
    guard let count = readNumber(), count >= 0, count <= rest.count / 8 else { return nil }
    var texts: [String] = []
    texts.reserveCapacity(count)
    for _ in 0..<count {
      guard let text = readText() else { return nil }
      texts.append(text)
    }
    return texts
  }
}
