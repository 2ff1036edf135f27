import Heliograph
import Observation

/// The settings screen of a build for testers, which switches the environment.
@MainActor
@Observable
final class SettingsModel {
  let choices: [ServiceEnvironment]
  /// Whether the environment can be switched; `false` in a build for release.
  let canSwitch: Bool
  private(set) var current: ServiceEnvironment
  private(set) var message: String?

  private let store: EnvironmentStore

  init(store: EnvironmentStore) {
    self.store = store
    choices = store.choices
    canSwitch = store.canSwitch
    current = store.current
    // Also switches elsewhere in the app.
    store.states.map(\.environment).assign(to: \.current, on: self)
  }

  func choose(_ environment: ServiceEnvironment) {
    do throws(NetworkError) {
      try store.switch(to: environment)
      message = nil
    } catch {
      message = error.message
    }
  }
}
