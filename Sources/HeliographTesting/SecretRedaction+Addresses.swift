import Foundation
import Heliograph

/// URLs without secrets, in which only the secret components are replaced; a URL in a response is redacted like that of
/// the request which follows it, so that the request matches its recorded exchange.
extension SecretRedaction {
  /// Returns a URL without secrets, also in its path and without names.
  func address(_ text: String) -> String {
    let shown = text.redactingSecretParameters(with: placeholder)
    var rest = shown[...].utf8
    var result = ""
    let authority = shown.firstRange(of: "//") ?? shown.startIndex..<shown.startIndex
    // A host may have the name of a secret before its port.
    if !authority.isEmpty, !shown[..<authority.lowerBound].contains(where: { "/?#".contains($0) }) {
      let end = rest[authority.upperBound...].firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
      result = String(shown[..<end])
      rest = rest[end...]
    }
    while !rest.isEmpty {
      let component = Substring(rest.prefix { !"/?#&;".utf8.contains($0) })
      rest = rest.dropFirst(component.utf8.count)
      let equalsSign = component.utf8.firstIndex(of: UInt8(ascii: "="))
      let start = equalsSign.map { component.utf8.index(after: $0) } ?? component.startIndex
      let value = String(component[start...])
      let plain = value.removingPercentEncoding ?? value
      result += component[..<start] + (self.text(plain) == plain ? value : placeholder)
      if let separator = rest.popFirst() { result.unicodeScalars.append(UnicodeScalar(separator)) }
    }
    return result
  }

  /// Returns the value of a field that consists of URLs, without secrets; `nil` for any other field.
  func addresses(of field: HTTPHeaders.Field) -> String? {
    switch field.name.lowercased() {
    case "location", "content-location": return address(field.value)
    case "link":
      let target = /<[^<>]*>/
      let parameters = field.value.replacing(target, with: "<>")
      if text(parameters) != parameters { return nil }
      return field.value.replacing(target) { "<" + address(String($0.output.dropFirst().dropLast())) + ">" }
    default: return nil
    }
  }
}
