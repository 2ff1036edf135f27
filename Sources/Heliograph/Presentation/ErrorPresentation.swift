import Foundation
import Synchronization

/// An error to show to the user: its text, its style and the count of equal errors.
///
/// Two presentations are equal if they have the same ``id`` and the same count.
public struct ErrorPresentation: Sendable, Identifiable {
  /// The key of an error: errors with equal keys look the same to the user.
  struct Key: Hashable {
    let style: PresentationStyle
    let text: String
    /// The owner of an inline error: the same text in two forms is two presentations.
    let owner: ObjectIdentifier?
  }

  private static let latest = Atomic<Int>(0)

  /// The identity of the presentation; counting equal errors does not change it.
  ///
  /// Unique in the process, and greater than the identities of earlier presentations.
  public let id: Int
  let key: Key
  /// The error; if equal errors were counted, the first.
  public let error: NetworkError
  /// The number of equal errors that followed and are not shown separately.
  public internal(set) var suppressedCount = 0

  /// The presentation style; never ``PresentationStyle/silent``.
  public var style: PresentationStyle { key.style }
  /// The user-facing text: the error's ``NetworkError/message``.
  public var text: String { key.text }

  init(_ key: Key, _ error: NetworkError) {
    id = Self.latest.add(1, ordering: .relaxed).newValue
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

extension NetworkError {
  var isExpected304: Bool { code == .status(304) && response?.isUnexpected304 == false }

  /// Whether the error only reports a cancellation, itself or through an underlying error.
  var reportsCancellation: Bool {
    var problem: any Error = self
    // The depth is limited, because an `NSError` may contain itself.
    for _ in 0..<16 {
      if problem is CancellationError { return true }
      if let error = problem as? NetworkError {
        if error.code == .cancelled || error.code == .network(NSURLErrorCancelled) { return true }
        guard let next = error.underlying else { return false }
        problem = next
        continue
      }
      let bridged = problem as NSError
      switch (bridged.domain, bridged.code) {
      case (NSURLErrorDomain, NSURLErrorCancelled), (NSCocoaErrorDomain, CocoaError.userCancelled.rawValue): return true
      default: break
      }
      guard let next = bridged.userInfo[NSUnderlyingErrorKey] as? any Error else { return false }
      problem = next
    }
    return false
  }
}
