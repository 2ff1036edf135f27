/// A textual key of an object, for APIs that pass dictionaries or text instead of objects.
///
/// ```swift
/// final class SearchModel {
///   func search(_ words: Signal<String, Never>) -> Disposable {
///     let options = ["owner": OwnerKey(self).rawValue]  // "SearchModel#17"
///     return words.bound(to: OwnerKey(rawValue: options["owner"] ?? "")).subscribe(onValue: { print($0) })
///   }
/// }
/// ```
/// The key contains a number that is unique in the process, never an address, so an object created at the address of a
/// deallocated one has a different key. The key does not retain the object. It may be used from any thread.
public struct OwnerKey: RawRepresentable, Hashable, Sendable {
  /// The text: the name of the object's type and a number, such as `SearchModel#17`.
  public let rawValue: String

  /// Creates a key from the text of another key.
  ///
  /// - Parameter rawValue: The text. A signal bound to a key that identifies no existing object does not start.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates the key of an object, which has the same key for as long as it exists.
  ///
  /// Not in the deinit of an `NSObject`, where the runtime aborts: its subscriptions are disposed then anyway.
  /// Complexity: O(1) amortized. Entries of deallocated objects are removed while others are added.
  /// - Parameter object: The object to identify; it is not retained.
  public init(_ object: AnyObject) {
    rawValue = OwnerRegistry.shared.key(of: object)
  }

  /// Disposes all subscriptions that are bound by this key, silently and the newest first.
  ///
  /// Subscriptions that are bound to the object itself continue. Later subscriptions start normally.
  public func disposeAll() { OwnerRegistry.shared.owner(of: self)?.disposeAll() }
}

extension OwnerKey: CustomStringConvertible {
  /// The text of the key.
  public var description: String { rawValue }
}
