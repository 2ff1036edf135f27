import Foundation

/// The boundary of a multipart body, chosen so that it does not occur in the parts (RFC 2046 §5.1.1).
enum MultipartBoundary {
  /// A random key of this process: an attacker who could predict the boundary could inject parts through a file.
  private static let secret = (0..<4).map { _ in UInt64.random(in: .min ... .max) }

  /// Returns the caller's boundary if it is valid, or else a generated one that does not occur in memory.
  static func resolve(_ custom: String?, for sections: [MultipartSection]) throws(NetworkError) -> String {
    guard let custom else { return generated(for: sections) }
    guard (1...70).contains(custom.utf8.count), custom.utf8.allSatisfy(isAllowed) else {
      throw NetworkError(
        .invalidHeader,
        reason: "invalid boundary \(custom.debugDescription): expected 1 to 70 letters, digits and '+_-.")
    }
    guard !occurs(custom, in: sections) else {
      throw NetworkError(.invalidBody, reason: "the boundary \(custom) occurs in the content of a part")
    }
    return custom
  }

  /// Returns a boundary derived from the heads and lengths of the parts; if it occurs in the content, the next
  /// candidate is a hash of the content, so that no content can contain its own.
  private static func generated(for sections: [MultipartSection]) -> String {
    var hash = SHA256()
    var isKeyed = false
    for section in sections {
      hash.update(Data(section.head.utf8))
      hash.update(Data("\(section.content.byteCount ?? -1),".utf8))
      if case .data = section.content { continue }
      isKeyed = true
    }
    if isKeyed { for number in secret { hash.update(Data("\(number),".utf8)) } }
    var digest = hash.finalize()
    while true {
      let candidate = "heliograph-" + digest.prefix(16).hexadecimal
      guard occurs(candidate, in: sections) else { return candidate }
      var next = SHA256()
      next.update(Data(digest))
      for case .data(let data) in sections.lazy.map(\.content) { next.update(data) }
      digest = next.finalize()
    }
  }

  /// Returns whether a byte is allowed in a boundary and needs no quotation marks in `Content-Type`.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    (byte.isUnreserved && byte != UInt8(ascii: "~")) || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "+")
  }

  private static func occurs(_ boundary: String, in sections: [MultipartSection]) -> Bool {
    let boundary = Array(boundary.utf8)
    return sections.contains { section in
      var head = section.head
      if head.withUTF8({ contains(UnsafeRawBufferPointer($0), boundary) }) { return true }
      guard case .data(let data) = section.content else { return false }
      return data.withUnsafeBytes { contains($0, boundary) }
    }
  }

  /// Searches with Horspool's algorithm, which usually reads about one byte in forty.
  private static func contains(_ text: UnsafeRawBufferPointer, _ word: [UInt8]) -> Bool {
    let last = word.count - 1
    var steps = [Int](repeating: word.count, count: 256)
    for index in 0..<last { steps[Int(word[index])] = last - index }
    var end = last
    while end < text.count {
      if text[end] == word[last], text[(end - last)...end].elementsEqual(word) { return true }
      end += steps[Int(text[end])]
    }
    return false
  }
}

/// The media types of common file name extensions.
package enum MultipartMediaType {
  private static let types = [
    "aac": "audio/aac", "avif": "image/avif", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv",
    "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic", "heif": "image/heif", "htm": "text/html",
    "html": "text/html", "ico": "image/vnd.microsoft.icon", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "js": "text/javascript", "json": "application/json", "m4a": "audio/mp4", "m4v": "video/x-m4v",
    "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg",
    "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "tif": "image/tiff", "tiff": "image/tiff",
    "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "xml": "application/xml",
    "zip": "application/zip",
  ]

  /// Returns the media type of a file name; `application/octet-stream` for an unknown extension.
  package static func ofFile(named name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "application/octet-stream" }
    return types[String(name[name.utf8.index(after: dot)...]).loweredASCII] ?? "application/octet-stream"
  }
}
