import Foundation

/// A record of the pages read, in constant memory, for loop detection.
///
/// A loop to one of the first 1,024 pages is detected at once. Any other loop is detected after at most three times
/// its length and the pages before it, by Brent's algorithm (BIT 20, 1980), which stores one page.
struct PageHistory {
  /// The number of first pages that are all stored.
  static let exactCount = 1_024

  private var first: Set<PageFingerprint> = []
  private var count = 0
  /// The stored page, the number of pages since, and the limit at which the current page replaces it.
  private var storedPage: PageFingerprint?
  private var distance = 0
  private var limit = 1

  /// Adds another URL of the page just read, besides that of its request.
  mutating func insert(_ page: PageFingerprint) {
    if count <= PageHistory.exactCount { first.insert(page) }
  }

  /// Adds the next page; returns `false` if it has already been read.
  mutating func add(_ page: PageFingerprint) -> Bool {
    if page == storedPage || first.contains(page) { return false }
    count += 1
    if count <= PageHistory.exactCount { first.insert(page) }
    distance += 1
    if distance == limit {
      (storedPage, distance) = (page, 0)
      limit *= 2
    }
    return true
  }
}

/// A hash of the request of a page, of 128 bits: a collision is practically impossible.
struct PageFingerprint: Hashable {
  private let low: Int
  private let high: Int

  private init(_ feed: (inout Hasher) -> Void) {
    func hash(_ seed: UInt8) -> Int {
      var hasher = Hasher()
      hasher.combine(seed)
      feed(&hasher)
      return hasher.finalize()
    }
    (low, high) = (hash(0), hash(1))
  }

  /// Creates the fingerprint of a `GET`, whose fragment does not count.
  init(_ url: URL) { self.init { $0.combine(bytesOf: url.absoluteString.withoutFragment) } }

  /// Creates the fingerprint of a request; `nil` if it cannot be encoded.
  init?(_ request: Request) {
    // As JSON, because texts that are not ASCII can take quadratic time to hash.
    let rules = ParameterRules()
    guard let query = try? rules.json(request.query), let parameters = try? rules.json(request.parameters) else {
      return nil
    }
    var body = Data()
    var identity: AnyHashable = 0
    switch request.body {
    case .empty: break
    case .json(let value):
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      guard let data = try? (value as? EncodedJSON)?.result.get() ?? encoder.encode(value) else { return nil }
      body = data
    case .form(let parameters):
      guard let data = try? rules.json(parameters) else { return nil }
      body = data
    case .multipart(let multipart): identity = multipart
    case .data(let data, _): body = data
    case .file(let url, _): identity = url
    case .stream(let stream, _): identity = stream
    }
    self.init { [body, identity] in
      $0.combine(request.method)
      $0.combine(bytesOf: request.path.text.withoutFragment)
      $0.combine(request.service)
      $0.combine(request.options.address)
      $0.combine(bytesOf: query)
      $0.combine(bytesOf: parameters)
      $0.combine(request.headers)
      $0.combine(bytesOf: body)
      $0.combine(identity)
    }
  }
}

extension String {
  fileprivate var withoutFragment: Substring.UTF8View { utf8.prefix { $0 != UInt8(ascii: "#") } }
}
