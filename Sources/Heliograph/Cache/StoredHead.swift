import Foundation

/// The head of an entry: a stored response without its body, or the header fields that select its variants.
enum StoredHead: Sendable, Hashable {
  case response(StoredResponse)
  case variants(StoredVariants)

  /// The key under which the entry is stored.
  var key: String {
    switch self {
    case .response(let response): response.key
    case .variants(let variants): variants.key
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

/// The header fields that select the variants of a response.
struct StoredVariants: Sendable, Hashable {
  var key: String
  /// The names, in lower case and in order.
  var names: [String]
  /// A random number in the keys of the variants.
  var epoch: UInt64
}
