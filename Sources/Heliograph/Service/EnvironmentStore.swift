public import Foundation
public import Signals

/// Says which environment the app talks to, lets a settings screen switch it, and remembers that.
///
/// A build for release stays there. In any other a saved switch comes first, then the build setting, then `develop`.
/// What was saved is ignored if it is not among ``choices``; only a switch or ``reset()`` replaces it.
///
/// It may be used from any thread. Make one for the app and hand it to everybody: two on the same storage do not see
/// each other's switches before a restart.
public final class EnvironmentStore: Sendable {
  /// What services are told, as one value: the environment and its address belong together.
  public struct State: Sendable, Hashable {
    /// The environment.
    public let environment: ServiceEnvironment
    /// The address of all services; `nil` unless the environment is `custom` and its address was set.
    public let customAddress: URL?

    /// Makes a state.
    public init(environment: ServiceEnvironment, customAddress: URL? = nil) {
      self.environment = environment
      self.customAddress = customAddress
    }
  }

  /// The build setting; `nil` if there was none.
  public let build: ServiceEnvironment?
  /// What can be switched to, without repetitions; the environment that the build starts with is always there.
  public let choices: [ServiceEnvironment]

  private struct Contents: Sendable {
    var saved: ServiceEnvironment?
    var address: URL?
    var unsaved = WaitingLine<(key: String, string: String?)>()
    var unsent = WaitingLine<State>()
  }

  private let storage: any EnvironmentStorage
  private let contents: Guarded<Contents>
  private let sent: CurrentValue<State>

  /// Makes a store and reads what was saved.
  ///
  /// - Parameters:
  ///   - build: the build setting, as the app's compilation conditions give it. Default: none, which means `develop`.
  ///   - choices: what can be switched to; what the build starts with is added if it is missing. Default: all that
  ///     are predefined.
  ///   - storage: keeps a switch over a restart. Default: the app's `UserDefaults`.
  public init(
    build: ServiceEnvironment? = nil, choices: [ServiceEnvironment] = ServiceEnvironment.predefined,
    storage: any EnvironmentStorage = UserDefaultsStorage()
  ) {
    self.build = build
    self.storage = storage
    let initial = build ?? .develop
    let all = (choices + [initial]).reduce(into: [ServiceEnvironment]()) { all, choice in
      if !all.contains(choice) { all.append(choice) }
    }
    self.choices = all
    var first = Contents()
    // A build for release does not even look at what an earlier build left there.
    if build != .release {
      first.saved = storage.string(for: Self.environmentKey).map { ServiceEnvironment(rawValue: $0) }
        .flatMap { all.contains($0) ? $0 : nil }
      first.address = storage.string(for: Self.addressKey).flatMap { URL(string: $0) }
        .flatMap { $0.isAddressOfServer ? $0 : nil }
    }
    sent = CurrentValue(Self.state(build, first))
    contents = Guarded(first)
  }

  /// The environment and its address.
  public var state: State { contents.withLock { [build] in Self.state(build, $0) } }

  /// The environment.
  public var current: ServiceEnvironment { state.environment }

  /// Whether ``switch(to:)``, ``reset()`` and ``setCustomAddress(_:)`` are allowed: in every build but one for release.
  public var canSwitch: Bool { build != .release }

  /// The address that `custom` stands for, also while another environment is current.
  ///
  /// `nil` if none was set, and in a build for release.
  public var customAddress: URL? { contents.withLock { $0.address } }

  /// The current state, at once, and then every change.
  ///
  /// Hot, and it never ends. A change comes on the thread that made it; if another thread is at that moment
  /// delivering an earlier one, on that. No lock is held meanwhile: whoever gets it may switch again, and all get that
  /// change after this one. Setting the custom address is a change while `custom` is current. It does not keep the store
  /// alive.
  public var states: Signal<State, Never> { sent.signal }

  /// Switches to an environment and saves that for the next start.
  ///
  /// ``current`` has changed when this returns. `custom` may be switched to before it has an address. Requests that are
  /// in flight are not this type's matter: see ``states``.
  /// - Parameter environment: one of ``choices``.
  /// - Throws: `client` error ``NetworkError/Code/switchRefused`` in a build for release, and for what is not among
  ///   ``choices``; nothing is changed then.
  public func `switch`(to environment: ServiceEnvironment) throws(NetworkError) {
    try checkCanSwitch()
    guard choices.contains(environment) else {
      throw Self.refusal("\(environment.rawValue.debugDescription) is not among the choices")
    }
    change { contents in
      contents.saved = environment
      contents.unsaved.append((Self.environmentKey, environment.rawValue))
    }
  }

  /// Forgets a switch: the build setting counts again, now and at the next start.
  ///
  /// The custom address stays.
  /// - Throws: `client` error ``NetworkError/Code/switchRefused`` in a build for release; nothing is changed then.
  public func reset() throws(NetworkError) {
    try checkCanSwitch()
    change { contents in
      contents.saved = nil
      contents.unsaved.append((Self.environmentKey, nil))
    }
  }

  /// Sets the address that `custom` stands for, for all services, and saves it for the next start.
  ///
  /// It does not switch to `custom`.
  /// - Parameter address: an absolute address of scheme http or https with a host; `nil` removes the one that is there.
  /// - Throws: `client` error ``NetworkError/Code/invalidURL`` for another address, ``NetworkError/Code/switchRefused`` in a
  ///   build for release; nothing is changed then.
  public func setCustomAddress(_ address: URL?) throws(NetworkError) {
    try checkCanSwitch()
    let address = address?.absoluteURL
    guard address?.isAddressOfServer != false else {
      throw NetworkError(
        .client, .invalidURL, message: "This is not the address of a server.",
        reason: "a custom address is absolute, of scheme http or https, and has a host")
    }
    change { contents in
      contents.address = address
      contents.unsaved.append((Self.addressKey, address?.absoluteString))
    }
  }
}

extension EnvironmentStore {
  private static let environmentKey = "environment"
  private static let addressKey = "customAddress"

  private static func state(_ build: ServiceEnvironment?, _ contents: Contents) -> State {
    let environment = build == .release ? .release : contents.saved ?? build ?? .develop
    return State(environment: environment, customAddress: environment == .custom ? contents.address : nil)
  }

  private static func refusal(_ reason: String) -> NetworkError {
    NetworkError(.client, .switchRefused, reason: reason)
  }

  private func checkCanSwitch() throws(NetworkError) {
    guard canSwitch else { throw Self.refusal("this is a build for release") }
  }

  /// Makes a change under the lock, then saves and announces it in the order of the changes.
  private func change(_ body: (inout Contents) -> Void) {
    contents.withLock { contents in
      let before = Self.state(build, contents)
      body(&contents)
      let after = Self.state(build, contents)
      if after != before { contents.unsent.append(after) }
    }
    // Two lines, because an observer that takes its time must not keep anybody's switch from being saved.
    if contents.withLock({ $0.unsaved.enter() }) {
      while let item = contents.withLock({ $0.unsaved.takeFirst() }) { storage.set(item.string, for: item.key) }
    }
    if contents.withLock({ $0.unsent.enter() }) {
      while let state = contents.withLock({ $0.unsent.takeFirst() }) { sent.send(state) }
    }
  }
}

extension URL {
  /// Whether it is absolute, of scheme http or https, and names a host.
  fileprivate var isAddressOfServer: Bool {
    guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https" else { return false }
    return host.map { !$0.isEmpty } ?? false
  }
}
