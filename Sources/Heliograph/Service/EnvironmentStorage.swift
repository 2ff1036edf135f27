import Foundation
import Signals

/// Where an ``EnvironmentStore`` keeps what has to survive a restart: two strings.
///
/// It is called from any thread, for one write at a time, and never while a lock of the store is held. It is read when a
/// store is made, and not again.
public protocol EnvironmentStorage: Sendable {
  /// The string that is kept under a key; `nil` if there is none.
  ///
  /// - Parameter key: `environment` or `customAddress`.
  /// - Returns: what was kept, whoever wrote it: the store ignores what it does not understand.
  func string(for key: String) -> String?

  /// Keeps a string under a key.
  ///
  /// - Parameters:
  ///   - string: what to keep; `nil` removes what is there.
  ///   - key: `environment` or `customAddress`.
  func set(_ string: String?, for key: String)
}

/// Keeps what an ``EnvironmentStore`` saves in `UserDefaults`.
public struct UserDefaultsStorage: EnvironmentStorage {
  /// The suite; `nil` for the app's own defaults.
  public let suiteName: String?
  /// What stands in front of each key.
  public let keyPrefix: String

  /// Makes a storage; nothing is read or written yet.
  ///
  /// - Parameters:
  ///   - suiteName: the suite, for instance that of an app group. Default: the app's own defaults, which also serve for
  ///     a name that is none.
  ///   - keyPrefix: what stands in front of each key. Default: `heliograph.`, so that the keys are
  ///     `heliograph.environment` and `heliograph.customAddress`.
  public init(suiteName: String? = nil, keyPrefix: String = "heliograph.") {
    self.suiteName = suiteName
    self.keyPrefix = keyPrefix
  }

  /// The string that is kept under a key; `nil` if there is none, or it cannot be read as a string.
  public func string(for key: String) -> String? {
    defaults.string(forKey: keyPrefix + key)
  }

  /// Keeps a string under a key, or removes what is there; it is on disk when this returns.
  public func set(_ string: String?, for key: String) {
    let defaults = defaults
    if let string {
      defaults.set(string, forKey: keyPrefix + key)
    } else {
      defaults.removeObject(forKey: keyPrefix + key)
    }
    // On Linux nothing is written without this; elsewhere the app is often killed right after a switch.
    _ = defaults.synchronize()
  }

  /// An instance for each call: on Linux it may not go from one thread to another, and all of a suite share their values.
  private var defaults: UserDefaults {
    suiteName.flatMap { UserDefaults(suiteName: $0) } ?? .standard
  }
}

/// Keeps what an ``EnvironmentStore`` saves in memory, for tests and previews.
public final class MemoryStorage: EnvironmentStorage {
  private let strings: Guarded<[String: String]>

  /// Makes a storage.
  ///
  /// - Parameter strings: what it holds at first, by key. Default: nothing.
  public init(_ strings: [String: String] = [:]) {
    self.strings = Guarded(strings)
  }

  /// The string that is kept under a key; `nil` if there is none.
  public func string(for key: String) -> String? {
    strings.withLock { $0[key] }
  }

  /// Keeps a string under a key, or removes what is there.
  public func set(_ string: String?, for key: String) {
    strings.withLock { $0[key] = string }
  }
}
