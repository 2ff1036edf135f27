/// An entity tag (RFC 9110 §8.8.3), not `Hashable`, because there are two ways to compare: ``matchesWeakly(_:)`` and
/// ``matchesStrongly(_:)``.
struct EntityTag: Sendable {
  /// The tag with its quotation marks.
  let opaque: String
  /// Whether the tag is weak: equal weak tags do not guarantee equal bytes.
  let isWeak: Bool
}

extension EntityTag {
  /// Parses a single entity tag, ignoring surrounding whitespace; `nil` if it is empty or malformed.
  ///
  /// A tag without quotation marks, which some servers send, is weak and differs from the quoted one.
  init?(_ text: String) {
    var text = text
    let parsed = text.withUTF8 { bytes -> EntityTag? in
      var scanner = EntityTagScanner(bytes.trimmed)
      let tag = scanner.next()
      return scanner.isAtEnd ? tag : nil
    }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Returns whether the tags are equal, weak or not: sufficient for `If-None-Match` (RFC 9110 §8.8.3.2).
  func matchesWeakly(_ other: EntityTag) -> Bool { opaque.utf8.elementsEqual(other.opaque.utf8) }

  /// Returns whether the tags are equal and neither is weak: needed for ranges (RFC 9110 §8.8.3.2).
  func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && matchesWeakly(other) }

  /// Returns whether the tags are equal but for the suffix of a content coding, weak or not.
  ///
  /// Servers that compress responses add one, such as `"1-gzip"`, and some omit it in a 304.
  func matchesDecoded(_ other: EntityTag) -> Bool { decoded.elementsEqual(other.decoded) }

  /// The tag without the suffix of a content coding and, if there is one, the closing quotation mark.
  private var decoded: Substring.UTF8View {
    guard opaque.utf8.last == UInt8(ascii: "\"") else { return opaque[...].utf8 }
    let content = opaque.dropLast()
    let suffix = ["--gzip", "-gzip", ";gzip", "-br", ";br", "-zstd", "-deflate"].first { content.hasSuffix($0) }
    return content.utf8.dropLast(suffix?.utf8.count ?? 0)
  }

  /// Returns the entity tags of a list, without malformed ones.
  static func list(_ text: String) -> [EntityTag] {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = EntityTagScanner(bytes.trimmed)
      var tags: [EntityTag] = []
      while !scanner.isAtEnd {
        if let tag = scanner.next() { tags.append(tag) }
      }
      return tags
    }
  }
}

/// A parser for lists of entity tags, which may contain commas and have no escapes.
private struct EntityTagScanner {
  private let bytes: FieldBytes
  private var position: Int

  init(_ bytes: FieldBytes) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position >= bytes.endIndex }

  /// Parses a member of the list and the comma after it; `nil` if it is empty or malformed.
  mutating func next() -> EntityTag? {
    var rest = bytes[position...].drop(while: \.isSpaceOrTab)
    var isWeak = false
    if rest.count >= 3, rest.prefix(2).isEqualIgnoringCase(to: "w/"), rest.dropFirst(2).first == UInt8(ascii: "\"") {
      isWeak = true
      rest = rest.dropFirst(2)
    }
    let comma = UInt8(ascii: ",")
    guard rest.first == UInt8(ascii: "\""),
      let closing = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
    else {
      let member = rest.prefix { $0 != comma }
      position = member.endIndex + 1
      let tag = member.trimmed
      guard !tag.isEmpty, !tag.contains(UInt8(ascii: "\"")) else { return nil }
      return EntityTag(opaque: String(decoding: tag, as: UTF8.self), isWeak: true)
    }
    let opaque = rest[...closing]
    let tail = rest[(closing + 1)...].drop(while: \.isSpaceOrTab)
    position = (tail.firstIndex(of: comma) ?? tail.endIndex) + 1
    // Other text between the closing quotation mark and the comma makes the member malformed.
    guard tail.isEmpty || tail.first == comma else { return nil }
    return EntityTag(opaque: String(decoding: opaque, as: UTF8.self), isWeak: isWeak)
  }
}
