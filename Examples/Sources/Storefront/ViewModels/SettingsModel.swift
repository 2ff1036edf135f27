import Heliograph
import Observation

/// The settings screen of a build for testers: which environment the app talks to.
@MainActor
@Observable
final class SettingsModel {
  let choices: [ServiceEnvironment]
  /// In a build for release there is nothing to choose.
  let canSwitch: Bool
  private(set) var current: ServiceEnvironment
  private(set) var message: String?

  private let store: EnvironmentStore
  private let bag = DisposeBag()

  init(store: EnvironmentStore) {
    self.store = store
    choices = store.choices
    canSwitch = store.canSwitch
    current = store.current
    // Not only what is chosen here: somebody else may switch, too.
    store.states.subscribeOnMain(onValue: { [weak self] in self?.current = $0.environment }).disposed(by: bag)
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
