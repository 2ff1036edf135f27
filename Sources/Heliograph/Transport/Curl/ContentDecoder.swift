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

  /// Decodes a piece and hands on the result, until the receiver wants no more.
  ///
  /// - Parameters:
  ///   - input: the next bytes.
  ///   - deliver: takes a decoded piece; returns whether it wants more.
  /// - Throws: a `network` error if the data are not what the coding says.
  func decode(
    _ input: UnsafeRawBufferPointer, _ deliver: (Data) throws(NetworkError) -> Bool
  ) throws(NetworkError) {
    try decode(input, from: 0, deliver)
  }

  private func decode(
    _ input: UnsafeRawBufferPointer, from index: Int, _ deliver: (Data) throws(NetworkError) -> Bool
  ) throws(NetworkError) {
    guard index + 1 < inflaters.count else { return try inflaters[index].decode(input, deliver) }
    var isWanted = true
    try inflaters[index].decode(input) { (piece) throws(NetworkError) in
      let outcome = piece.withUnsafeBytes { bytes in
        Result { () throws(NetworkError) in
          try decode(bytes, from: index + 1) { (piece) throws(NetworkError) in
            isWanted = try deliver(piece)
            return isWanted
          }
        }
      }
      try outcome.get()
      return isWanted
    }
  }
}

extension HTTPRequest {
  /// Whether the transport offers codings, and undoes them.
  ///
  /// Not where the caller asks for codings in its own words, and not for a part: that would be one of the encoded bytes.
  var offersCodings: Bool { headers["Accept-Encoding"] == nil && headers["Range"] == nil }
}
