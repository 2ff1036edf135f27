import Heliograph
import Observation

/// Search as you type: waits for a pause, then asks; a newer question cancels the older one on the wire.
@MainActor
@Observable
final class SearchModel {
  /// What has been found, and for which text.
  struct Answer: Equatable {
    let text: String
    let products: [Product]
  }

  private typealias Outcome = Result<Answer, NetworkError>

  /// What stands in the search field.
  var text = "" {
    didSet { texts.send(text) }
  }
  private(set) var answer: Answer?
  private(set) var message: String?

  private let texts = PublishSubject<String, Never>()
  private let bag = DisposeBag()

  /// - Parameters:
  ///   - api: whom to ask.
  ///   - pause: how long nobody must have typed. Default: 250 milliseconds, a little more than between two key strokes.
  init(api: ShopAPI, pause: Duration = .milliseconds(250)) {
    texts.signal
      .debounce(pause)
      .flatMap(.latest) { text in
        // Failures become values in here: one that got out would end the search for good.
        (text.isEmpty ? .just([]) : api.search(text))
          .map { Outcome.success(Answer(text: text, products: $0)) }
          .catch { .just(.failure($0)) }
      }
      .subscribeOnMain(onValue: { [weak self] in self?.show($0) })
      .disposed(by: bag)
  }

  private func show(_ outcome: Outcome) {
    switch outcome {
    case .success(let found): (answer, message) = (found, nil)
    case .failure(let error): message = error.message
    }
  }
}
