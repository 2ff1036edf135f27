import Foundation

/// The invalidation of stored responses by unsafe requests: RFC 9111 §4.4.
enum Invalidation {
  /// Returns the URLs whose stored responses are invalid after a request; none if it changes nothing or failed.
  ///
  /// These are the URL of the request and, of the same origin, those in the first `Location` and `Content-Location`; all
  /// without fragment.
  /// Unknown methods count as unsafe.
  static func addresses(of method: HTTPMethod, url: URL, response: HTTPResponse) -> [URL] {
    guard method.mayChange, (200..<400).contains(response.statusCode) else { return [] }
    var urls = [url.withoutFragment]
    let origin = Origin(url)
    // Both have one value (RFC 9110 §8.7, §10.2.2), but a server may send thousands.
    for name in ["Location", "Content-Location"] {
      guard let text = response.headers.firstValue(for: name), !text.isEmpty,
        let target = url.resolving(text)?.withoutFragment, origin?.matches(target) == true, !urls.contains(target)
      else { continue }
      urls.append(target)
    }
    return urls
  }
}

extension URL {
  fileprivate var withoutFragment: URL {
    let text = absoluteString
    guard let fragmentStart = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return absoluteURL }
    return URL(string: String(text[..<fragmentStart])) ?? self
  }
}
