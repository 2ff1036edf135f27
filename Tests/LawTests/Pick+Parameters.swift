import Foundation
import Heliograph

extension Pick {
  mutating func parameterValue(levels: Int) -> ParameterValue {
    switch Int.random(in: 0...(levels > 0 ? 10 : 8), using: &self) {
    case 0: nil
    case 1: .bool(one(of: [true, false]))
    case 2: .integer(one(of: [0, 1]))
    case 3: .unsigned(one(of: [0, 1]))
    case 4: .number(one(of: [0, -0.0, 1, 0.5]))
    case 5: .decimal(one(of: [0, 1, 0.5]))
    case 6: .string(one(of: ["", "1", "é", "e\u{301}"]))
    case 7: .date(Date(timeIntervalSince1970: one(of: [0, 1])))
    case 8: .data(Data(one(of: [[], [1]])))
    case 9: .array((0..<one(of: [0, 1, 2])).map { _ in parameterValue(levels: levels - 1) })
    default: .object(parameterObject(levels: levels - 1))
    }
  }

  mutating func parameterObject(levels: Int) -> ParameterObject {
    var object = ParameterObject()
    for _ in 0..<one(of: [0, 1, 2]) {
      object[one(of: ["a", "é", "e\u{301}"])] = parameterValue(levels: levels)
    }
    return object
  }
}
