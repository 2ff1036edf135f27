import Heliograph

/// A cache of header fields as JSON objects, redacted and escaped once: most fields occur in every request.
struct HARFields: Sendable {
  private struct Entry {
    let name: String
    let value: String
    let object: [UInt8]
  }

  /// The number of entries, and the maximum length of a value: longer ones seldom recur.
  private static let limits = (count: 256, byteCount: 256)

  private let includesSecrets: Bool
  /// The latest field of each position, which depends on the lengths of its name and value: cheaper than a hash.
  private var entries: [Entry] = []
  /// The number of secret names for which the entries are valid; the app may add names.
  private var secretCount = 0

  init(includingSecrets includesSecrets: Bool) { self.includesSecrets = includesSecrets }

  /// Appends the fields of a message, separated by commas.
  mutating func append(_ headers: HTTPHeaders, to bytes: inout [UInt8]) {
    if headers.isEmpty { return }
    let count = includesSecrets ? 0 : HTTPHeaders.secretNames.count
    if count != secretCount || entries.isEmpty {
      let none = Entry(name: "", value: "", object: [])
      entries = Array(repeating: none, count: HARFields.limits.count)
      secretCount = count
    }
    for index in headers.indices {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(headers[index], to: &bytes)
    }
  }

  private mutating func append(_ field: HTTPHeaders.Field, to bytes: inout [UInt8]) {
    let (name, value) = (field.name, field.value)
    let position = (name.utf8.count &* 37 &+ value.utf8.count) % HARFields.limits.count
    if !name.isEmpty, entries[position].name == name, entries[position].value == value {
      return bytes.append(contentsOf: entries[position].object)
    }
    let object = object(of: field)
    bytes.append(contentsOf: object)
    guard value.utf8.count <= HARFields.limits.byteCount, includesSecrets || !field.isSecret else { return }
    entries[position] = Entry(name: name, value: value, object: object)
  }

  private func object(of field: HTTPHeaders.Field) -> [UInt8] {
    var object = Array(#"{"name":"#.utf8)
    object.appendJSON(field.name)
    object.append(contentsOf: #","value":"#.utf8)
    object.appendJSON(includesSecrets ? field.value : field.redactedValue)
    object.append(UInt8(ascii: "}"))
    return object
  }
}
