import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The server's side of a signature: computed anew from what came over the wire, by code that shares only the hash.
package struct SignatureVerifier {
  package var key: Data
  package var location: HMACSigner.Location
  package var names: HMACSigner.FieldNames
  package var isBodySigned: Bool

  package init(
    key: Data = Data("secret".utf8), location: HMACSigner.Location = .query, names: HMACSigner.FieldNames = .query,
    isBodySigned: Bool = true
  ) {
    self.key = key
    self.location = location
    self.names = names
    self.isBodySigned = isBodySigned
  }

  package func accepts(_ request: LoopbackRequest) -> Bool {
    accepts(
      method: request.method.rawValue, target: request.target, body: request.body, isForm: isForm(request),
      header: { request.header($0) })
  }

  package func isForm(_ request: LoopbackRequest) -> Bool {
    request.header("Content-Type") == "application/x-www-form-urlencoded"
  }

  package func accepts(
    method: String, target: String, body: Data, isForm: Bool = false, header: (String) -> String? = { _ in nil }
  ) -> Bool {
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var pairs = (halves.count > 1 ? halves[1] : "").split(separator: "&").map { normalized($0, isForm: false) }
    if isForm {
      pairs += String(decoding: body, as: UTF8.self).split(separator: "&").map { normalized($0, isForm: true) }
    }
    let sent: String?
    switch location {
    case .query:
      // The names that the tests use are all unreserved, so they are the same when they are encoded.
      let own = pairs.filter { $0.0 == names.signature }
      sent = own.count == 1 ? own[0].1 : nil
      pairs.removeAll { $0.0 == names.signature }
    case .header:
      sent = header(names.signature)
      for name in [names.timestamp, names.nonce] { pairs.append((name, normalized(Substring(header(name) ?? "")))) }
    }
    for name in [names.timestamp, names.nonce] where pairs.count(where: { $0.0 == name }) != 1 { return false }
    let parameters = pairs.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    let digest = isBodySigned ? SHA256.hash(isForm ? Data() : body).hexadecimal : "UNSIGNED-BODY"
    let message = [method, String(halves[0]), parameters, digest].joined(separator: "\n")
    return sent == HMAC.sha256(Data(message.utf8), key: key).hexadecimal
  }

  private func normalized(_ piece: Substring, isForm: Bool) -> (String, String) {
    let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let sides = parts.map { normalized(isForm ? Substring($0.replacing("+", with: " ")) : $0) }
    return (sides[0], sides.count > 1 ? sides[1] : "")
  }

  /// Encoded text in its one spelling: what need not be escaped is not, and everything else is, in capital digits.
  private func normalized(_ text: Substring) -> String {
    var result = ""
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      var value = byte
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let escaped = UInt8(digits, radix: 16)
      {
        value = escaped
        rest = rest.dropFirst(2)
      }
      let scalar = UnicodeScalar(value)
      let isUnreserved = value < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      result += isUnreserved || "-._~".unicodeScalars.contains(scalar) ? "\(scalar)" : String(format: "%%%02X", value)
    }
    return result
  }
}

extension RequestDraft {
  /// The request for the wire: the query with `%20`, the form as WHATWG's URL standard §5.2 writes it.
  package func wired() throws -> HTTPRequest {
    let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._")
    func joined(_ pairs: [ParameterPair], _ allowed: CharacterSet) -> String {
      pairs.map { pair in
        [pair.name, pair.value].compactMap { $0?.addingPercentEncoding(withAllowedCharacters: allowed) }
          .joined(separator: "=")
      }.joined(separator: "&")
    }
    var parts = try require(URLComponents(url: url, resolvingAgainstBaseURL: true))
    let queries = [parts.percentEncodedQuery ?? "", joined(query, unreserved.union(CharacterSet(charactersIn: "~")))]
    parts.percentEncodedQuery = queries.filter { !$0.isEmpty }.joined(separator: "&")
    parts.fragment = nil
    var request = HTTPRequest(method: method, url: try require(parts.url), headers: headers, body: body)
    if !form.isEmpty {
      request.headers["Content-Type"] = "application/x-www-form-urlencoded"
      let text = joined(form, unreserved.union(CharacterSet(charactersIn: "* "))).replacing(" ", with: "+")
      request.body = .data(Data(text.utf8))
    }
    return request
  }
}
