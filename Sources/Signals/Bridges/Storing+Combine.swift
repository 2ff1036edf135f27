#if canImport(Combine)
public import Combine

extension Disposable {
  /// Adds the handle to a set of Combine's handles; it is disposed when the set releases it.
  public func store(in set: inout Set<AnyCancellable>) { AnyCancellable { self.dispose() }.store(in: &set) }
}

extension DisposeBag {
  /// Adds the bag to a set of Combine's handles, such as the result of ``Signal/sink(receiveValue:)``.
  public func store(in set: inout Set<AnyCancellable>) { AnyCancellable { self.dispose() }.store(in: &set) }
}
#endif
