import Foundation

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
      // 2 was the flag for redirected responses in a previous format, which had no redirect count.
      writer.add((response.isHTTP ? 1 : 0) | (response.variesBelowCache ? 4 : 0) | response.redirectCount << 3)
      writer.add(response.credentials)
      writer.add(response.redirectLimit.map { [$0.timeIntervalSinceReferenceDate.text] } ?? [])
      writer.add(response.range.map { [$0.text] } ?? [])
      writer.add(response.head.headers.flatMap { [$0.name, $0.value] })
    case .variants(let variants):
      writer.add(2)
      writer.add(variants.key)
      writer.add(variants.epoch)
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
          redirectCount: flags >> 3 | flags >> 1 & 1, variesBelowCache: flags & 4 != 0, credentials: credentials,
          redirectLimit: limit.first.flatMap(Double.init).map { Date(timeIntervalSinceReferenceDate: $0) },
          range: range.first.flatMap { ContentRange($0) }))
    case 2:
      guard let key = reader.readText(), let epoch = reader.readWord(), let names = reader.readTexts(), reader.isAtEnd
      else {
        return nil
      }
      self = .variants(StoredVariants(key: key, names: names, epoch: epoch))
    default: return nil
    }
  }
}

extension Double {
  fileprivate var text: String { "\(self)" }
}

private struct HeadWriter {
  private(set) var data = Data()

  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  mutating func add(_ word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
  }

  mutating func add(_ date: Date) {
    withUnsafeBytes(of: date.timeIntervalSinceReferenceDate.bitPattern.littleEndian) { data.append(contentsOf: $0) }
  }

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
