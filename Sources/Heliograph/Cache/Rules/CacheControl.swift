/// The directives of the `Cache-Control` fields of a request or a response: RFC 9111 §5.2, RFC 5861, RFC 8246.
///
/// Directives for shared caches are omitted, and unknown directives are ignored.
struct CacheControl: Sendable, Hashable {
  /// A number of seconds in a directive.
  enum Age: Sendable, Hashable {
    case absent
    /// The value is missing or not a number; a response is then stale (RFC 9111 §4.2.1).
    case invalid
    /// The value, at most 2,147,483,647.
    case seconds(Int)
  }

  /// Whether nothing may be stored (RFC 9111 §5.2.1.5, §5.2.2.5).
  var noStore = false
  /// Whether a stored response must be validated before each use (RFC 9111 §5.2.1.4, §5.2.2.4).
  var noCache = false
  /// The fields that must not be reused without validation, in lower case (RFC 9111 §5.2.2.4).
  var noCacheFields: Set<String> = []
  /// Whether the response may be stored whatever its status (RFC 9111 §5.2.2.9).
  var isPublic = false
  /// Whether a private cache may store the response whatever its status (RFC 9111 §5.2.2.7).
  var isPrivate = false
  /// Whether a stale response must not be reused without validation (RFC 9111 §5.2.2.2).
  var mustRevalidate = false
  /// Whether the response does not change while it is fresh (RFC 8246).
  var immutable = false
  /// Whether only caches that understand the status may store the response (RFC 9111 §5.2.2.3).
  var mustUnderstand = false
  /// Whether only a stored response is wanted (RFC 9111 §5.2.1.7).
  var onlyIfCached = false
  /// The freshness lifetime of a response, or the accepted age in a request (RFC 9111 §5.2.1.1, §5.2.2.1).
  var maxAge = Age.absent
  /// The staleness up to which a response may be reused while it is validated in the background (RFC 5861 §3).
  var staleWhileRevalidate = Age.absent
  /// The staleness up to which a response may be reused after an error (RFC 5861 §4).
  var staleIfError = Age.absent
  /// The time for which a response must remain fresh for a request (RFC 9111 §5.2.1.3).
  var minFresh = Age.absent
  /// The accepted staleness of a response for a request, `Int.max` for any (RFC 9111 §5.2.1.2).
  var maxStale = Age.absent

  /// Whether a response with a known status must not be stored (RFC 9111 §5.2.2.3, §5.2.2.5).
  var forbidsStorage: Bool { noStore && !mustUnderstand }
}

extension CacheControl {
  /// Parses the fields of a header.
  ///
  /// Names are case-insensitive, values may be quoted, and the first of repeated directives applies. If a directive that
  /// restricts a cache has an invalid argument, only the argument is ignored; otherwise, the whole directive is.
  init(_ headers: HTTPHeaders) {
    self.init()
    FieldList.forEach(in: headers, "Cache-Control") { add(CacheDirective($0)) }
  }

  private mutating func add(_ directive: CacheDirective) {
    switch directive.name {
    case "no-store": noStore = true
    case "no-cache": addNoCache(directive)
    case "must-revalidate": mustRevalidate = true
    case "only-if-cached": onlyIfCached = true
    case "private": isPrivate = true
    case "public": isPublic = isPublic || !directive.hasArgument
    case "immutable": immutable = immutable || !directive.hasArgument
    case "must-understand": mustUnderstand = mustUnderstand || !directive.hasArgument
    case "max-age": add(directive, to: &maxAge)
    case "min-fresh": add(directive, to: &minFresh)
    case "stale-while-revalidate": add(directive, to: &staleWhileRevalidate)
    case "stale-if-error": add(directive, to: &staleIfError)
    case "max-stale":
      if maxStale != .absent { return }
      maxStale = directive.hasArgument ? directive.seconds.map { .seconds($0) } ?? .absent : .seconds(.max)
    default: break
    }
  }

  private func add(_ directive: CacheDirective, to age: inout Age) {
    if age == .absent { age = directive.seconds.map { .seconds($0) } ?? .invalid }
  }

  private mutating func addNoCache(_ directive: CacheDirective) {
    var fields: [String] = []
    if let argument = directive.argument { FieldList.forEach(argument) { fields.append($0.loweredToken ?? "") } }
    // Without field names, the directive applies to the whole response.
    if fields.contains("") || fields.isEmpty { noCache = true } else { noCacheFields.formUnion(fields) }
  }
}

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
  private(set) var isQuoted = false
  /// Whether anything follows the name.
  let hasArgument: Bool

  /// Parses a member of the list of directives, in which no whitespace surrounds the equals sign.
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
