import Synchronization

/// An error to show to a person: its text, its style and the count of equal errors.
///
/// Two presentations are equal if they have the same ``id`` and the same count.
public struct ErrorPresentation: Sendable, Identifiable {
  /// The identity of a presentation, unique in the process.
  public struct ID: Sendable, Hashable {
    private static let latest = Atomic<Int>(0)
    /// Later presentations have greater numbers.
    let number: Int

    static func fresh() -> ID { ID(number: latest.add(1, ordering: .relaxed).newValue) }
  }

  /// The key of an error: errors with equal keys look the same to a person.
  public struct Key: Sendable, Hashable {
    /// The presentation style.
    public let style: PresentationStyle
    /// The text that is shown.
    public let text: String
    /// The owner beside which an inline error is shown: the same text in two forms is two presentations.
    let place: ObjectIdentifier?
  }

  /// The identity of the presentation; it stays the same while equal errors are counted.
  public let id: ID
  /// The key, by which other errors equal this one.
  public let key: Key
  /// The error; of equal errors, the first.
  public let error: NetworkError
  /// The number of equal errors that have followed and are not shown separately.
  public internal(set) var suppressedCount = 0

  /// The presentation style; never ``PresentationStyle/silent``.
  public var style: PresentationStyle { key.style }
  /// The user-facing text: the error's ``NetworkError/message``.
  public var text: String { key.text }

  init(_ id: ID, _ key: Key, _ error: NetworkError) {
    self.id = id
    self.key = key
    self.error = error
  }
}

extension ErrorPresentation: Hashable {
  /// Returns whether both are the same presentation, with the same count.
  public static func == (left: ErrorPresentation, right: ErrorPresentation) -> Bool {
    left.id == right.id && left.suppressedCount == right.suppressedCount
  }

  /// Hashes the values that ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(suppressedCount)
  }
}
