import Heliograph

/// A cache of header fields as JSON objects, redacted and escaped once: most fields occur in every request.
struct HARFields: Sendable {
  private struct Key: Hashable {
    let name: String
    let value: String
  }

  /// The maximum number of cached fields, and the maximum length of one: longer ones seldom recur.
  private static let limits = (count: 512, byteCount: 256)

  private let includesSecrets: Bool
  private var objects: [Key: [UInt8]] = [:]
  /// The number of secret names for which the objects are valid; the app may add names.
  private var secretCount = 0

  init(includingSecrets includesSecrets: Bool) { self.includesSecrets = includesSecrets }

  mutating func append(_ field: HTTPHeaders.Field, to bytes: inout [UInt8]) {
    let count = includesSecrets ? 0 : HTTPHeaders.secretNames.count
    if count != secretCount {
      objects.removeAll(keepingCapacity: true)
      secretCount = count
    }
    let key = Key(name: field.name, value: field.value)
    if let object = objects[key] { return bytes.append(contentsOf: object) }
    let object = object(of: field)
    bytes.append(contentsOf: object)
    guard field.value.utf8.count <= HARFields.limits.byteCount, includesSecrets || !HTTPHeaders.isSecret(field.name)
    else { return }
    if objects.count >= HARFields.limits.count { objects.removeAll(keepingCapacity: true) }
    objects[key] = object
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
