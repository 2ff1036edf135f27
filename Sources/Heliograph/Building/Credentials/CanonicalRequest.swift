import Foundation

/// The canonical form of a request for its signature, independent of the order and encoding of its parameters; the
/// format is documented at ``HMACSigner``.
struct CanonicalRequest {
  /// A percent-encoded ASCII pair, so that its byte order is the same in every language.
  private struct Pair {
    let name: [UInt8]
    let value: [UInt8]
  }

  private let method: String
  private let path: String
  private var pairs: [Pair]
  private let body: String

  private static let emptyBody = SHA256.hash(Data()).hexadecimal

  init(_ draft: RequestDraft) throws(NetworkError) {
    let components = try draft.addressComponents()
    method = draft.method.rawValue
    path = components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
    pairs = (components.percentEncodedQuery ?? "").queryPieces.map { piece in
      let (name, value) = piece.nameAndValue
      return Pair(name: name.canonicallyEncoded, value: value.canonicallyEncoded)
    }
    switch draft.body {
    // The body is not sent with a form.
    case _ where !draft.form.isEmpty, .empty: body = Self.emptyBody
    case .data(let data): body = SHA256.hash(data).hexadecimal
    case .file, .stream: body = "UNSIGNED-BODY"
    }
    add(draft.query)
    add(draft.form)
  }

  mutating func add(_ more: [ParameterPair]) {
    for pair in more where !pair.name.isEmpty || pair.value != nil {
      pairs.append(Pair(name: pair.name.utf8.canonicallyEncoded, value: pair.value?.utf8.canonicallyEncoded ?? []))
    }
  }

  func hasParameter(named names: [String]) -> Bool {
    let names = names.map(\.utf8.canonicallyEncoded)
    return pairs.contains { names.contains($0.name) }
  }

  /// The bytes to sign.
  var message: Data {
    var message = Data("\(method)\n\(path)\n".utf8)
    let sorted = pairs.sorted { left, right in
      left.name == right.name
        ? left.value.lexicographicallyPrecedes(right.value) : left.name.lexicographicallyPrecedes(right.name)
    }
    for (index, pair) in sorted.enumerated() {
      if index > 0 { message.append(UInt8(ascii: "&")) }
      message.append(contentsOf: pair.name)
      message.append(UInt8(ascii: "="))
      message.append(contentsOf: pair.value)
    }
    message.append(contentsOf: "\n\(body)".utf8)
    return message
  }
}

extension RequestDraft {
  fileprivate func addressComponents() throws(NetworkError) -> URLComponents {
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      throw NetworkError(.invalidURL, reason: "invalid URL: it has no components")
    }
    return components
  }

  /// Writes the escapes of the path in upper case, as libcurl does from 8.20 on; throws if the URL cannot be parsed.
  mutating func capitalizeEscapes() throws(NetworkError) {
    var components = try addressComponents()
    let path = components.percentEncodedPath
    let capitalized = path.utf8.capitalizingEscapes
    guard capitalized != path else { return }
    components.percentEncodedPath = capitalized
    url = components.url ?? url
  }

  /// Removes all parameters with the given names, including those in the URL; throws if that cannot be parsed.
  mutating func removeParameters(named names: [String]) throws(NetworkError) {
    // By bytes: strings with different bytes can be equal.
    let unwanted = names.map { Array($0.utf8) }
    query.removeAll { unwanted.contains(Array($0.name.utf8)) }
    form.removeAll { unwanted.contains(Array($0.name.utf8)) }
    var components = try addressComponents()
    guard let query = components.percentEncodedQuery else { return }
    let remaining = query.queryPieces.filter { !unwanted.contains($0.nameAndValue.name) }
    guard remaining.count < query.queryPieces.count else { return }
    components.percentEncodedQuery = remaining.isEmpty ? nil : remaining.joined(separator: "&")
    if let shorter = components.url { url = shorter }
  }
}

extension StringProtocol {
  var queryPieces: [SubSequence] { split(separator: "&") }

  /// The decoded bytes before and after the first equals sign; an invalid escape is unchanged.
  var nameAndValue: (name: [UInt8], value: [UInt8]) {
    let bytes = Array(utf8)
    let end = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.count
    return (bytes[..<end].percentDecoded, bytes[end...].dropFirst().percentDecoded)
  }
}

extension Collection<UInt8> where Index == Int {
  package var percentDecoded: [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(count)
    var index = startIndex
    while index < endIndex {
      if self[index] == UInt8(ascii: "%"), index + 2 < endIndex,
        let high = self[index + 1].hexDigitValue, let low = self[index + 2].hexDigitValue
      {
        decoded.append(UInt8(high << 4 | low))
        index += 3
      } else {
        decoded.append(self[index])
        index += 1
      }
    }
    return decoded
  }
}

extension Collection<UInt8> {
  /// The bytes as `%XX`, except for the unreserved characters (RFC 3986 §2.3).
  fileprivate var canonicallyEncoded: [UInt8] {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(count)
    let isDone: Void? = withContiguousStorageIfAvailable { PercentEncoding.query.write($0, to: &encoded) }
    if isDone == nil { Array(self).withUnsafeBufferPointer { PercentEncoding.query.write($0, to: &encoded) } }
    return encoded
  }
}
