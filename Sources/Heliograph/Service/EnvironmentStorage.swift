import Foundation

/// Storage for the two strings that an ``EnvironmentStore`` preserves across launches.
///
/// The closures may be called on any thread, but never while the store holds a lock; writes are serial. The strings are
/// read only when a store is created.
public struct EnvironmentStorage: Sendable {
  package let read: @Sendable (_ key: String) -> String?
  package let write: @Sendable (_ text: String?, _ key: String) -> Void

  /// Creates storage from two closures.
  ///
  /// The keys are `environment` and `customAddress`.
  /// - Parameters:
  ///   - read: Returns the string for a key; `nil` if there is none. The store ignores an invalid one.
  ///   - write: Stores a string for a key; `nil` removes the stored one.
  public init(
    read: @escaping @Sendable (_ key: String) -> String?,
    write: @escaping @Sendable (_ text: String?, _ key: String) -> Void
  ) {
    self.read = read
    self.write = write
  }

  /// Returns storage in `UserDefaults`; a string is on disk when its write returns.
  ///
  /// - Parameters:
  ///   - suiteName: The suite, such as that of an app group; for an invalid name, the app's own defaults are used.
  ///     Default: the app's own defaults.
  ///   - keyPrefix: The prefix of each key. Default: `heliograph.`, so that the keys are `heliograph.environment` and
  ///     `heliograph.customAddress`.
  /// - Returns: The storage; nothing has been read or written yet.
  public static func userDefaults(suiteName: String? = nil, keyPrefix: String = "heliograph.") -> EnvironmentStorage {
    // A new instance for each call: on Linux it must not change threads, and all instances of a suite share their values.
    let open: @Sendable () -> UserDefaults = { suiteName.flatMap { UserDefaults(suiteName: $0) } ?? .standard }
    return EnvironmentStorage {
      open().string(forKey: keyPrefix + $0)
    } write: { text, key in
      let defaults = open()
      if let text {
        defaults.set(text, forKey: keyPrefix + key)
      } else {
        defaults.removeObject(forKey: keyPrefix + key)
      }
      // Without this nothing is written on Linux; elsewhere an app is often killed right after a switch.
      _ = defaults.synchronize()
    }
  }

  /// Returns new in-memory storage, for tests and previews.
  ///
  /// - Parameter strings: The initial strings, by key. Default: none.
  /// - Returns: The storage.
  public static func memory(_ strings: [String: String] = [:]) -> EnvironmentStorage {
    let strings = Guarded(strings)
    return EnvironmentStorage { key in
      strings.withLock { $0[key] }
    } write: { text, key in
      strings.withLock { $0[key] = text }
    }
  }
}
