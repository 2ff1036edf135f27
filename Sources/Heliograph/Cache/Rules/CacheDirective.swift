/// A directive of a `Cache-Control` field: a name and perhaps an argument (RFC 9111 §5.2).
struct CacheDirective {
  /// The name of a directive; comparisons ignore its case.
  struct Name {
    let bytes: FieldBytes

    /// Returns whether the name equals a lowercase text.
    static func ~= (text: StaticString, name: Name) -> Bool { name.bytes.isEqualIgnoringCase(to: text) }
  }

  let name: Name
  /// The argument without quotation marks; `nil` if there is none or if it is malformed.
  let argument: FieldBytes?
  /// Whether the argument is in quotation marks.
  private(set) var isQuoted = false
  /// Whether anything follows the name.
  let hasArgument: Bool

  /// Parses a member of the list of directives.
  ///
  /// Whitespace around the equals sign is not allowed.
  init(_ member: FieldBytes) {
    let name = member.prefix { !$0.isSpaceOrTab && $0 != UInt8(ascii: "=") }
    let rest = member[name.endIndex...]
    self.name = Name(bytes: name)
    hasArgument = !rest.isEmpty
    var value = rest.dropFirst()
    guard rest.first == UInt8(ascii: "="), let first = value.first, !first.isSpaceOrTab else {
      argument = nil
      return
    }
    if first == UInt8(ascii: "\"") {
      guard value.endOfQuotedString == value.endIndex else {
        argument = nil
        return
      }
      value = value.dropFirst().dropLast()
      isQuoted = true
    }
    argument = value
  }

  /// The argument as a number of seconds; `nil` if it is not one.
  var seconds: Int? {
    guard let argument, argument.contains(UInt8(ascii: "\\")), isQuoted else { return argument?.seconds() }
    // An escaped character stands for itself (RFC 9110 §5.6.4).
    return argument.filter { $0 != UInt8(ascii: "\\") }.withUnsafeBufferPointer { $0[...].seconds() }
  }
}
