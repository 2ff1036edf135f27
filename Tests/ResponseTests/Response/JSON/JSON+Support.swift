import Foundation
import Heliograph
import HeliographTestSupport

extension JSON {
  /// Reads a text.
  init(text: String) throws(NetworkError) {
    self = try JSON(data: Data(text.utf8))
  }

  /// How many arrays and objects are inside each other, along the first element or the only member.
  var depth: Int {
    var count = 0
    var value = self
    while true {
      switch value {
      case .array(let elements): value = elements.first ?? .null
      case .object(let members): value = members.values.first ?? .null
      default: return count
      }
      count += 1
    }
  }
}

extension JSONFault {
  /// The path and the fault.
  var reason: String { "\(path.pathText): \(locatedText)" }
}

/// The text of arrays or objects inside each other.
func deepText(_ depth: Int, inArrays: Bool) -> String {
  inArrays
    ? String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    : String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
}
