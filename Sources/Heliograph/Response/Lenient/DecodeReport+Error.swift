extension DecodeReport.Entry {
  init(_ error: any Error, decoding type: Any.Type, at path: [any CodingKey], _ action: DecodeReport.Action) {
    // The errors of some decoders have an incomplete path.
    func fullPath(_ context: DecodingError.Context) -> [any CodingKey] {
      context.codingPath.count < path.count ? path : context.codingPath
    }
    switch error as? DecodingError {
    case .keyNotFound(let key, let context):
      self.init(path: (fullPath(context) + [key]).pathText, expected: "a value", found: "nothing", action: action)
    case .valueNotFound(let expected, let context):
      self.init(path: fullPath(context).pathText, expected: Self.name(expected), found: "null", action: action)
    case .typeMismatch(let expected, let context):
      self.init(
        path: fullPath(context).pathText, expected: Self.name(expected), found: Self.kind(context.debugDescription),
        action: action)
    case .dataCorrupted(let context):
      self.init(
        path: fullPath(context).pathText,
        expected: context.codingPath.count > path.count ? "another value" : Self.name(type),
        found: context.debugDescription, action: action)
    default:
      self.init(path: path.pathText, expected: Self.name(type), found: "a value that does not fit", action: action)
    }
  }

  /// Returns the name of a type; for a container, the kind of JSON value that it needs.
  static func name(_ type: Any.Type) -> String {
    if type == [Any].self { return "array" }
    if type == [String: Any].self { return "object" }
    return "\(type)"
  }

  /// Returns the kind of JSON value that a type mismatch reports as found; `nil` if the error names none.
  static func kind(foundBy error: any Error) -> String? {
    guard case DecodingError.typeMismatch(_, let context) = error else { return nil }
    let kind = kind(context.debugDescription)
    return kind == context.debugDescription ? nil : kind
  }

  /// Returns the kind of JSON value in a message such as "Expected … but found a string instead."; the message itself
  /// if it names none.
  private static func kind(_ message: String) -> String {
    let words = message.split(separator: " ").map { $0.filter { $0.isLetter }.lowercased() }
    guard let found = words.lastIndex(of: "found") else { return message }
    let kinds = [
      "string": "string", "number": "number", "bool": "bool", "array": "array", "dictionary": "object",
      "object": "object", "null": "null",
    ]
    return words[found...].lazy.compactMap { kinds[$0] }.first ?? message
  }
}

/// The decoding of one value whose failure is reported to the decoder's context, if any, and not thrown.
struct LenientStep {
  private let context: DecodingContext?
  private let entryCount: Int

  init(_ decoder: any Decoder) { self.init(decoder.context) }

  private init(_ context: DecodingContext?) {
    self.context = context
    entryCount = context?.entryCount ?? 0
  }

  var restarted: LenientStep { LenientStep(context) }

  /// Reports an error of the step, in place of the entries added during it.
  func report(
    _ error: any Error, decoding type: Any.Type, at path: @autoclosure () -> [any CodingKey],
    _ action: DecodeReport.Action
  ) {
    guard let context else { return }
    context.add(since: entryCount, DecodeReport.Entry(error, decoding: type, at: path(), action))
  }

  func reportAbsence(of type: Any.Type, at path: [any CodingKey], isNull: Bool) {
    context?.add(
      since: entryCount,
      DecodeReport.Entry(
        path: path.pathText, expected: "\(type)", found: isNull ? "null" : "nothing", action: .defaulted))
  }
}
