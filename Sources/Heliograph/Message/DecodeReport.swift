/// What lenient decoding did to a value: each element that ``Lossy`` dropped, each value that it or ``Defaulted`` replaced.
///
/// It may hold words of the body, such as the text that names no case of an enum: mind that where you log it.
public struct DecodeReport: Sendable, Hashable {
  /// What was done about something that could not be decoded.
  public enum Action: String, Sendable, Hashable {
    /// The element was left out.
    case dropped
    /// A default took its place.
    case defaulted
  }

  /// One thing that could not be decoded.
  public struct Entry: Sendable, Hashable {
    /// Where it is, such as `data.items[37].price`.
    ///
    /// The innermost place that is known; what was dropped or replaced may be around it.
    public let path: String
    /// What is wanted there: a type, or a kind of JSON value.
    public let expected: String
    /// What is there: `nothing` for a missing name, a kind of JSON value, or what the decoder says.
    public let found: String
    /// What was done about it.
    public let action: Action

    /// Makes an entry.
    package init(path: String, expected: String, found: String, action: Action) {
      self.path = path
      self.expected = expected
      self.found = found
      self.action = action
    }
  }

  /// How many entries a report has at most: 1,000.
  ///
  /// One body could fill the memory with them otherwise.
  public static let maximumEntryCount = 1_000

  /// The first of them, in the order in which they were decoded.
  public private(set) var entries: [Entry] = []
  /// How many more there were than ``maximumEntryCount``.
  public private(set) var omittedCount = 0

  /// Makes an empty report.
  public init() {}

  /// Whether everything could be decoded.
  public var isEmpty: Bool { entries.isEmpty }

  /// Adds an entry, or counts it.
  mutating func add(_ entry: @autoclosure () -> Entry) {
    if entries.count < Self.maximumEntryCount { entries.append(entry()) } else { omittedCount += 1 }
  }

  /// Removes the entries after a count: they are inside of what is dropped or replaced as a whole.
  mutating func removeEntries(since count: Int) {
    if entries.count > count { entries.removeLast(entries.count - count) }
  }
}

extension DecodeReport.Entry: CustomStringConvertible {
  /// One line, such as `data.items[37].price: string, not Double: dropped`.
  public var description: String { "\(path): \(found), not \(expected): \(action.rawValue)".singleLine }
}
