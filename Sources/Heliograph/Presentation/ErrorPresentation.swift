import Synchronization

/// An error that a person is to see: what to show, how, and how often it has come.
///
/// Two are equal when they are the same one and have come as often.
public struct ErrorPresentation: Sendable, Identifiable {
  /// Tells one presentation from all others of the process.
  public struct ID: Sendable, Hashable {
    private static let latest = Atomic<Int>(0)
    /// Later ones have greater numbers.
    let number: Int

    static func fresh() -> ID { ID(number: latest.add(1, ordering: .relaxed).newValue) }
  }

  /// What makes two errors equal for the person who would see both.
  public struct Key: Sendable, Hashable {
    /// How it is shown.
    public let style: PresentationStyle
    /// What is shown.
    public let text: String
    /// Beside what it is shown: the same text in two forms is two things.
    let place: ObjectIdentifier?
  }

  /// Which presentation it is; it stays the same while equal ones are counted.
  public let id: ID
  /// What makes others equal to it.
  public let key: Key
  /// The error; of equal ones, the first.
  public let error: NetworkError
  /// How many equal errors have come since, and were not shown beside it.
  public internal(set) var suppressedCount = 0

  /// How to show it; never ``PresentationStyle/silent``.
  public var style: PresentationStyle { key.style }
  /// What to show: the error's ``NetworkError/message``.
  public var text: String { key.text }

  init(_ id: ID, _ key: Key, _ error: NetworkError) {
    self.id = id
    self.key = key
    self.error = error
  }
}

extension ErrorPresentation: Hashable {
  /// Whether both are the same presentation, with the same count.
  public static func == (left: ErrorPresentation, right: ErrorPresentation) -> Bool {
    left.id == right.id && left.suppressedCount == right.suppressedCount
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(suppressedCount)
  }
}
