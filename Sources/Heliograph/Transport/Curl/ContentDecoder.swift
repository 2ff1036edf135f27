#if HELIOGRAPH_CURL
import Foundation

/// A decoder for the content codings of a body, which decodes the last applied coding first.
struct ContentDecoder: CustomStringConvertible {
  /// The maximum number of codings in a row.
  private static let limit = 5

  private let inflaters: [Inflater]

  /// Creates a decoder; `nil` if the body has no coding or must not be decoded.
  ///
  /// - Parameters:
  ///   - field: The value of `Content-Encoding`.
  ///   - codings: The codings that were offered; if there are none, the body is not decoded.
  /// - Throws: A `network` error if a coding was not offered, there are too many, or memory is exhausted.
  init?(_ field: String, _ codings: [ContentCoding]) throws(NetworkError) {
    guard !codings.isEmpty else { return nil }
    var inflaters: [Inflater] = []
    for part in field.split(separator: ",") {
      let name = part.trimmingCharacters(in: .whitespaces).loweredASCII
      if name.isEmpty || name == "identity" { continue }
      // RFC 9110 §8.4.1.3: `x-gzip` is an alias.
      guard let coding = ContentCoding(rawValue: name == "x-gzip" ? "gzip" : name), codings.contains(coding),
        inflaters.count < ContentDecoder.limit
      else {
        throw NetworkError(
          .undecodableBody, reason: "unsupported Content-Encoding \(field.loggedCoding): not in Accept-Encoding"
        ).withExcerpt(field)
      }
      inflaters.append(try Inflater(coding))
    }
    if inflaters.isEmpty { return nil }
    self.inflaters = inflaters.reversed()
  }

  var description: String { inflaters.map(\.coding.rawValue).joined(separator: ", ") }

  /// Whether the body is complete; an empty body counts as complete.
  var isAtEnd: Bool { inflaters.allSatisfy(\.isAtEnd) }

  /// Adds input, which is decoded when a piece is requested.
  func feed(_ input: Data) { inflaters.first?.feed(input) }

  /// Whether another piece may be available without more input.
  var hasPendingOutput: Bool { inflaters.contains(where: \.hasPendingOutput) }

  /// Decodes the next piece.
  ///
  /// - Returns: The piece; `nil` if more input is needed.
  /// - Throws: A `network` error if the data is invalid in the coding.
  func next() throws(NetworkError) -> Data? { try next(of: inflaters.count - 1) }

  private func next(of index: Int) throws(NetworkError) -> Data? {
    while true {
      if let piece = try inflaters[index].next() { return piece }
      guard index > 0, let input = try next(of: index - 1) else { return nil }
      inflaters[index].feed(input)
    }
  }
}

extension HTTPRequest {
  /// Whether the transport offers content codings for the request, and decodes them.
  ///
  /// Not if the caller sets `Accept-Encoding`, nor for a range, which would apply to the encoded bytes.
  var offersCodings: Bool { headers["Accept-Encoding"] == nil && headers["Range"] == nil }
}
#endif
