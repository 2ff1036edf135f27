import Foundation
import Signals

/// A storage for the two strings that an ``EnvironmentStore`` keeps over a restart.
///
/// It is called on any thread, with one write at a time, and never while the store holds a lock. It is read only when a
/// store is created.
public protocol EnvironmentStorage: Sendable {
  /// Returns the string for a key; `nil` if there is none.
  ///
  /// - Parameter key: `environment` or `customAddress`.
  /// - Returns: the stored string; the store ignores an invalid one.
  func string(for key: String) -> String?

  /// Stores a string for a key.
  ///
  /// - Parameters:
  ///   - string: the string; `nil` removes the stored one.
  ///   - key: `environment` or `customAddress`.
  func set(_ string: String?, for key: String)
}

/// A storage in `UserDefaults`.
public struct UserDefaultsStorage: EnvironmentStorage {
  /// The suite; `nil` for the app's own defaults.
  public let suiteName: String?
  /// The prefix of each key.
  public let keyPrefix: String

  /// Creates a storage, without reading or writing anything.
  ///
  /// - Parameters:
  ///   - suiteName: the suite, for instance that of an app group. Default: the app's own defaults, which are also used
  ///     for an invalid name.
  ///   - keyPrefix: the prefix of each key. Default: `heliograph.`, so that the keys are `heliograph.environment` and
  ///     `heliograph.customAddress`.
  public init(suiteName: String? = nil, keyPrefix: String = "heliograph.") {
    self.suiteName = suiteName
    self.keyPrefix = keyPrefix
  }

  /// Returns the string for a key; `nil` if there is none, or it cannot be read as a string.
  public func string(for key: String) -> String? {
    defaults.string(forKey: keyPrefix + key)
  }

  /// Stores a string for a key, or removes it; it is on disk when this returns.
  public func set(_ string: String?, for key: String) {
    let defaults = defaults
    if let string {
      defaults.set(string, forKey: keyPrefix + key)
    } else {
      defaults.removeObject(forKey: keyPrefix + key)
    }
    // Without this nothing is written on Linux; elsewhere an app is often killed right after a switch.
    _ = defaults.synchronize()
  }

  /// A new instance for each call: on Linux it must not change threads, and all instances of a suite share their values.
  private var defaults: UserDefaults {
    suiteName.flatMap { UserDefaults(suiteName: $0) } ?? .standard
  }
}

/// A storage in memory, for tests and previews.
public final class MemoryStorage: EnvironmentStorage {
  private let strings: Guarded<[String: String]>

  /// Creates a storage.
  ///
  /// - Parameter strings: the initial strings, by key. Default: none.
  public init(_ strings: [String: String] = [:]) {
    self.strings = Guarded(strings)
  }

  /// Returns the string for a key; `nil` if there is none.
  public func string(for key: String) -> String? {
    strings.withLock { $0[key] }
  }

  /// Stores a string for a key, or removes it.
  public func set(_ string: String?, for key: String) {
    strings.withLock { $0[key] = string }
  }
}
