import Heliograph

/// A search-as-you-type model: the answer to the latest text counts, and requests end with the model.
@MainActor
final class SearchModel {
  private(set) var products: [Product] = []
  private(set) var message: String?
  private let texts = PublishSubject<String, Never>()
  private let bag = DisposeBag()

  init(client: NetworkClient, scheduler: any SignalScheduler = .global) {
    texts.signal
      .debounce(.milliseconds(300), on: scheduler)
      .flatMap(.latest) { text -> Signal<Result<[Product], NetworkError>, Never> in
        if text.isEmpty { return .just(.success([])) }
        return client.enqueue(request: Request(.get, "/products", query: ["q": text]), resultType: [Product].self)
          .map(\.value)
          .asResult()
      }
      .subscribeOnMain(onValue: { [weak self] result in self?.show(result) })
      .disposed(by: bag)
  }

  func search(_ text: String) { texts.send(text) }

  private func show(_ result: Result<[Product], NetworkError>) {
    switch result {
    case .success(let products): (self.products, message) = (products, nil)
    case .failure(let error): (products, message) = ([], error.message)
    }
  }
}
