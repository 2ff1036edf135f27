/// A pair that is disposed together.
final class DisposablePair: Disposing {
  private let first: any Disposing
  private let second: any Disposing

  init(_ first: any Disposing, _ second: any Disposing) {
    self.first = first
    self.second = second
  }

  var isDisposed: Bool { first.isDisposed && second.isDisposed }

  func dispose() {
    first.dispose()
    second.dispose()
  }
}
