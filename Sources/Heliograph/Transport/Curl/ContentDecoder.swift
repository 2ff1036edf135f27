#if HELIOGRAPH_CURL
import Foundation

/// Undoes the content codings of a body: the last one that was applied comes first.
struct ContentDecoder: CustomStringConvertible {
  /// More codings in a row are refused.
  private static let limit = 5

  private let inflaters: [Inflater]

  /// Makes `nil` if the body comes as it is, or nothing can be undone.
  ///
  /// - Parameters:
  ///   - field: the value of `Content-Encoding`.
  ///   - codings: those that were offered; without any, nothing can be undone.
  /// - Throws: a `network` error if a coding was not offered, or memory is out.
  init?(_ field: String, _ codings: [ContentCoding]) throws(NetworkError) {
    guard !codings.isEmpty else { return nil }
    var inflaters: [Inflater] = []
    for part in field.split(separator: ",") {
      let name = part.trimmingCharacters(in: .whitespaces).loweredASCII
      if name.isEmpty || name == "identity" { continue }
      // RFC 9110 §8.4.1.3: x-gzip is the same.
      guard let coding = ContentCoding(rawValue: name == "x-gzip" ? "gzip" : name), codings.contains(coding),
        inflaters.count < ContentDecoder.limit
      else {
        throw NetworkError(
          .network, .undecodableBody, reason: "the body's coding is \(field.debugDescription), which was not offered")
      }
      inflaters.append(try Inflater(coding))
    }
    if inflaters.isEmpty { return nil }
    self.inflaters = inflaters.reversed()
  }

  var description: String { inflaters.map(\.coding.rawValue).joined(separator: ", ") }

  /// Whether all of the body has come; an empty body is complete.
  var isAtEnd: Bool { inflaters.allSatisfy(\.isAtEnd) }

  /// Takes the next bytes; they are decoded as pieces are asked for.
  func feed(_ input: Data) { inflaters.first?.feed(input) }

  /// Whether there may be another piece without more input.
  var hasRest: Bool { inflaters.contains(where: \.hasRest) }

  /// Decodes the next piece.
  ///
  /// - Returns: the piece; `nil` if more input is needed.
  /// - Throws: a `network` error if the data are not what the coding says.
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
  /// Whether the transport offers codings, and undoes them.
  ///
  /// Not where the caller asks for codings in its own words, and not for a part: that would be one of the encoded bytes.
  var offersCodings: Bool { headers["Accept-Encoding"] == nil && headers["Range"] == nil }
}
#endif
