/// A report on lenient decoding: the elements that ``Lossy`` dropped, and the values that ``Lossy`` or ``Defaulted``
/// replaced.
///
/// The report may contain text of the body, such as the unknown value of an enum: take care when you log it.
public struct DecodeReport: Sendable, Hashable {
  /// The action taken for a value that could not be decoded.
  public enum Action: String, Sendable, Hashable {
    /// The element was dropped.
    case dropped
    /// A default replaced the value.
    case defaulted
  }

  /// A value that could not be decoded.
  public struct Entry: Sendable, Hashable {
    /// The path, such as `data.items[37].price`.
    ///
    /// The innermost known path; the dropped or replaced value may enclose it.
    public let path: String
    /// The expected type or kind of JSON value.
    public let expected: String
    /// The value found: a kind of JSON value, `nothing` for a missing member, or the decoder's message.
    public let found: String
    /// The action taken: dropped, or replaced by a default.
    public let action: Action
  }

  /// The maximum number of entries in a report: 1,000.
  ///
  /// The limit keeps one body from filling the memory with entries.
  public static let maximumEntryCount = 1_000

  /// The first entries, in the order of decoding.
  public private(set) var entries: [Entry] = []
  /// The number of entries beyond ``maximumEntryCount``.
  public private(set) var omittedCount = 0

  /// Creates an empty report.
  public init() {}

  /// Whether no element was dropped and no value replaced.
  public var isEmpty: Bool { entries.isEmpty }

  /// Adds an entry, or only counts it beyond the maximum.
  mutating func add(_ entry: @autoclosure () -> Entry) {
    if entries.count < Self.maximumEntryCount { entries.append(entry()) } else { omittedCount += 1 }
  }

  /// The number of all entries, including the omitted ones.
  var count: Int { entries.count + omittedCount }

  /// Removes all but the first `count` entries, because the enclosing value is dropped or replaced as a whole.
  mutating func removeEntries(since count: Int) {
    omittedCount = max(count - entries.count, 0)
    if entries.count > count { entries.removeLast(entries.count - count) }
  }
}

extension DecodeReport.Entry: CustomStringConvertible {
  /// The entry on one line, such as `data.items[37].price: string, not Double: dropped`.
  public var description: String { "\(path): \(found), not \(expected): \(action.rawValue)".singleLine }
}
