public import Foundation
public import Signals

/// A store of the app's current environment, which can be switched at run time and is saved for the next launch.
///
/// A release build always uses `release`. Any other build uses the saved environment, or else the build setting, or
/// else `develop`. A saved environment that is not among ``choices`` is ignored; only a switch or ``reset()``
/// replaces it.
///
/// It may be used on any thread. Create one for the app and share it: two stores with the same storage do not see
/// each other's switches before the next launch.
public final class EnvironmentStore: Sendable {
  /// An environment with its custom URL, as one value so that they always match.
  public struct State: Sendable, Hashable {
    /// The current environment.
    public let environment: ServiceEnvironment
    /// The URL of all services; `nil` unless the environment is `custom` and its URL was set.
    public let customAddress: URL?

    /// Creates a state; the URL applies to `custom` only.
    public init(environment: ServiceEnvironment, customAddress: URL? = nil) {
      self.environment = environment
      self.customAddress = customAddress
    }
  }

  /// The environment of the build setting; `nil` without one.
  public let build: ServiceEnvironment?
  /// The environments to choose from, without duplicates; always including the build's initial one.
  public let choices: [ServiceEnvironment]

  private struct Contents: Sendable {
    let build: ServiceEnvironment?
    var saved: ServiceEnvironment?
    var address: URL?
    var unsaved: [(key: String, string: String?)] = []
    var unpublished: [State] = []

    var state: State {
      let environment = build == .release ? .release : saved ?? build ?? .develop
      return State(environment: environment, customAddress: environment == .custom ? address : nil)
    }
  }

  private let storage: EnvironmentStorage
  private let contents: Guarded<Contents>
  /// The number of changes of the state.
  let changes = ChangeCount()
  private let saveQueue = Drain()
  private let publishQueue = Drain()
  private let published: CurrentValue<State>

  /// Creates a store and reads the saved environment.
  ///
  /// - Parameters:
  ///   - build: The build setting, from the app's compilation conditions. Default: none, which means `develop`.
  ///   - choices: The environments to choose from; the initial one is added if it is missing. Default: all predefined
  ///     ones.
  ///   - storage: The storage that preserves switches across launches. Default: the app's `UserDefaults`.
  public init(
    build: ServiceEnvironment? = nil, choices: [ServiceEnvironment] = ServiceEnvironment.predefined,
    storage: EnvironmentStorage = .userDefaults()
  ) {
    self.build = build
    self.storage = storage
    let initial = build ?? .develop
    let all = (choices + [initial]).reduce(into: [ServiceEnvironment]()) { all, choice in
      if !all.contains(choice) { all.append(choice) }
    }
    self.choices = all
    var first = Contents(build: build)
    // A release build does not even read what an earlier build has saved.
    if build != .release {
      first.saved = storage.read(Self.environmentKey).map { ServiceEnvironment(rawValue: $0) }
        .flatMap { all.contains($0) ? $0 : nil }
      first.address = storage.read(Self.addressKey).flatMap { URL(string: $0) }
        .flatMap { Origin.exists(of: $0) ? $0 : nil }
    }
    published = CurrentValue(first.state)
    contents = Guarded(first)
  }

  /// The current environment and its custom URL.
  public var state: State { contents.withLock { $0.state } }

  /// The current state with the number of its changes, read in one step.
  var counted: (state: State, changeCount: Int) { contents.withLock { ($0.state, changes.value) } }

  /// The current environment.
  public var current: ServiceEnvironment { state.environment }

  /// Whether ``switch(to:)``, ``reset()`` and ``setCustomAddress(_:)`` are allowed: not in a release build.
  public var canSwitch: Bool { build != .release }

  /// The URL of `custom`, even while another environment is current.
  ///
  /// `nil` if none was set, or in a release build.
  public var customAddress: URL? { contents.withLock { $0.address } }

  /// The current state, at once, followed by every change.
  ///
  /// The signal is hot and does not terminate. A change is delivered on the thread that made it, or on a thread that is
  /// delivering an earlier change at that moment. No lock is held during a delivery: a subscriber may switch again, and
  /// every subscriber receives that change after this one. While `custom` is current, setting its URL is also a change.
  /// The signal does not retain the store.
  public var states: Signal<State, Never> { published.signal }

  /// Switches to an environment and saves it for the next launch.
  ///
  /// ``current`` has changed when this returns. Clients with this store then fail their requests in flight to services
  /// with ``NetworkError/Code/contextChanged``. A switch to `custom` is allowed before it has a URL.
  ///
  /// The switch has been saved when this returns, unless another thread is saving an earlier change at that moment, or
  /// the storage itself calls this method: then that thread saves it next.
  /// - Parameter environment: One of ``choices``.
  /// - Throws: A `client` error with the code ``NetworkError/Code/switchRefused`` in a release build, or for an
  ///   environment that is not among ``choices``; nothing is changed then.
  public func `switch`(to environment: ServiceEnvironment) throws(NetworkError) {
    try checkCanSwitch()
    guard choices.contains(environment) else {
      throw Self.refusal("\(environment.rawValue.debugDescription) is not one of the environments")
    }
    change { contents in
      contents.saved = environment
      contents.unsaved.append((Self.environmentKey, environment.rawValue))
    }
  }

  /// Removes the saved environment: the build setting applies again, now and at the next launch.
  ///
  /// The custom URL is kept.
  /// - Throws: A `client` error with the code ``NetworkError/Code/switchRefused`` in a release build; nothing is
  ///   changed then.
  public func reset() throws(NetworkError) {
    try checkCanSwitch()
    change { contents in
      contents.saved = nil
      contents.unsaved.append((Self.environmentKey, nil))
    }
  }

  /// Sets the URL of `custom`, for all services, and saves it for the next launch.
  ///
  /// It does not switch to `custom`.
  /// - Parameter address: An absolute `http` or `https` URL with a host and without user information; `nil` removes the
  ///   current one.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidURL`` for any other URL, or
  ///   ``NetworkError/Code/switchRefused`` in a release build; nothing is changed then.
  public func setCustomAddress(_ address: URL?) throws(NetworkError) {
    try checkCanSwitch()
    let address = address?.absoluteURL
    guard address.map({ Origin.exists(of: $0) }) != false else {
      throw NetworkError(
        .invalidURL,
        reason: "a custom address must be an absolute http or https URL with a host and no user information")
    }
    change { contents in
      contents.address = address
      contents.unsaved.append((Self.addressKey, address?.absoluteString))
    }
  }

  private static let environmentKey = "environment"
  private static let addressKey = "customAddress"

  private static func refusal(_ reason: String) -> NetworkError {
    NetworkError(.switchRefused, reason: reason)
  }

  private func checkCanSwitch() throws(NetworkError) {
    guard canSwitch else { throw Self.refusal("switching is disabled in release builds") }
  }

  /// Applies a change under the lock, then saves and publishes it; changes are saved and published in order.
  private func change(_ body: (inout Contents) -> Void) {
    contents.withLock { contents in
      let previous = contents.state
      body(&contents)
      if contents.state == previous { return }
      changes.increment()
      contents.unpublished.append(contents.state)
    }
    // A separate queue for saving, so that a slow subscriber does not delay it.
    saveQueue.run {
      while let item = contents.withLock({ $0.unsaved.takeFirst() }) { storage.write(item.string, item.key) }
    }
    publishQueue.run {
      while let state = contents.withLock({ $0.unpublished.takeFirst() }) { published.send(state) }
    }
  }
}

extension EnvironmentStore.State: _Summarized {
  /// The environment and its URL on one line, without the query, which may be secret.
  public var description: String {
    customAddress.map { "\(environment.rawValue.singleLine) \($0.redacted)" } ?? environment.rawValue.singleLine
  }
}

/// The identity that a request belongs to: an account in an environment; cookies, token refreshes and requests in
/// flight belong to one identity and never change to another.
struct Identity: Sendable, Hashable {
  /// The signed-in account; `nil` if no account is signed in, or the client has no accounts.
  var account: String?
  /// The environment with its URL; `nil` if the client has no environments.
  var environment: EnvironmentStore.State?
}
