import Foundation
import Heliograph

/// A URL as people type it: the scheme may be missing.
struct Address: Sendable {
  /// The absolute URL.
  let text: String

  init(_ text: String) throws(Failure) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty, !text.hasPrefix("/") else {
      throw Failure(.invalidURL, "'\(text)' is not a valid URL", "write one such as https://example.com/file")
    }
    let host = text.prefix { !":/?#".contains($0) }.lowercased()
    if text.dropFirst(host.count).hasPrefix("://") {
      guard ["http", "https"].contains(host) else {
        throw Failure(.invalidURL, "'\(host)' is not supported", "use http or https")
      }
      self.text = text
    } else {
      let isLocal = host == "localhost" || host.hasPrefix("127.") || text.hasPrefix("[::1]")
      self.text = (isLocal ? "http://" : "https://") + text
    }
  }

  /// The name of a file for the content: the last part of the path, or `index.html`.
  ///
  /// It has neither slashes nor control characters, however the URL is written.
  var fileName: String {
    let path = text.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", omittingEmptySubsequences: false)
    let last = path.count > 3 ? String(path.last ?? "") : ""
    let name = String(
      (last.removingPercentEncoding ?? last).unicodeScalars.map { scalar in
        scalar == "/" || scalar.properties.generalCategory == .control ? "_" : Character(scalar)
      })
    return ["", ".", ".."].contains(name) ? "index.html" : name
  }
}
