import SignalsTestSupport

/// Makes a reference signal of a tree: what each operator means, one closure each.
struct Reference {
  let clock = ReferenceClock()
  let sources = (0..<Tree.sourceCount).map { _ in ReferenceSource() }

  func signal(_ tree: Tree) -> ReferenceSignal {
    switch tree {
    case .leaf(let leaf): signal(leaf)
    case .unary(let operation, let child): apply(operation, signal(child))
    case .binary(let operation, let left, let right): apply(operation, signal(left), signal(right))
    }
  }

  private func signal(_ leaf: Tree.Leaf) -> ReferenceSignal {
    switch leaf {
    case .source(let index): sources[index].signal
    case .just(let value): ready([.value(value), .completed])
    case .from(let values): ready(values.map { .value($0) } + [.completed])
    case .empty: ready([.completed])
    case .never: ready([])
    case .fail: ready([.failed(.broken)])
    case .timer(let delay):
      { down in
        clock.schedule(after: delay) {
          down.send(.value(7))
          down.send(.completed)
        }
      }
    }
  }

  func ready(_ events: [ReferenceEvent]) -> ReferenceSignal {
    { down in for event in events { down.send(event) } }
  }

  private func apply(_ operation: Tree.Unary, _ source: @escaping ReferenceSignal) -> ReferenceSignal {
    switch operation {
    case .map(let addend): values(source) { $0.send(.value(Arithmetic.mapped($1, addend))) }
    case .filter, .compactMap: values(source) { if Arithmetic.passes($1) { $0.send(.value($1)) } }
    case .tryMap: values(source) { $0.send(Arithmetic.isRefused($1) ? .failed(.number($1)) : .value($1)) }
    case .mapError:
      { down in
        down.run(source) { event in
          if case .failed(let fault) = event { down.send(.failed(Arithmetic.mapped(fault))) } else { down.send(event) }
        }
      }
    case .scan, .reduce, .collect, .first, .last, .take, .takeWhile, .skip, .distinct, .ifEmpty:
      remembering(operation, source)
    case .materialize:
      { down in
        down.run(source) { event in
          switch event {
          case .value: down.send(event)
          case .failed: for event in [ReferenceEvent.value(998), .completed] { down.send(event) }
          case .completed: for event in [ReferenceEvent.value(999), .completed] { down.send(event) }
          }
        }
      }
    case .dematerialize, .on, .deferred: source
    case .prepend:
      { down in
        down.send(.value(9))
        down.run(source, down.send)
      }
    case .retry(let count): { down in retry(source, count, after: nil, down) }
    case .retryAfter(let count, let delay): { down in retry(source, count, after: delay, down) }
    case .flatMapJust(let flattening): flatMap(flattening, source) { ready([.value($0), .completed]) }
    case .flatMapPair(let flattening): flatMap(flattening, source) { ready([.value($0), .value($0 + 1), .completed]) }
    case .delay, .debounce, .throttle, .timeout, .observe, .subscribe: timed(operation, source)
    }
  }

  /// An operator that does something with each value and forwards the end.
  private func values(
    _ source: @escaping ReferenceSignal, _ act: @escaping (ReferenceRun, Int) -> Void
  ) -> ReferenceSignal {
    { down in
      down.run(source) { event in
        if case .value(let value) = event { act(down, value) } else { down.send(event) }
      }
    }
  }

  /// An operator that acts on the list of all values so far, with the newest at its end.
  private func remembering(_ operation: Tree.Unary, _ source: @escaping ReferenceSignal) -> ReferenceSignal {
    { down in
      if case .take(0) = operation { return down.send(.completed) }
      var all: [Int] = []
      var sentLast: Int?
      down.run(source) { event in
        if case .value(let value) = event { all.append(value) }
        switch (operation, event) {
        case (.scan, .value): down.send(.value(all.reduce(1, Arithmetic.joined)))
        case (.reduce, .value), (.collect, .value), (.last, .value): break
        case (.reduce, .completed):
          down.send(.value(all.reduce(1, Arithmetic.joined)))
          down.send(.completed)
        case (.collect, .completed):
          down.send(.value(Arithmetic.collected(all)))
          down.send(.completed)
        case (.last, .completed):
          if let last = all.last { down.send(.value(last)) }
          down.send(.completed)
        case (.first, .value):
          down.send(event)
          down.send(.completed)
        case (.take(let count), .value):
          down.send(event)
          if all.count == count { down.send(.completed) }
        case (.takeWhile(let bound), .value(let value)): down.send(value < bound ? event : .completed)
        case (.skip(let count), .value): if all.count > count { down.send(event) }
        case (.distinct, .value(let value)):
          if let sentLast, Arithmetic.isSame(sentLast, value) { return }
          sentLast = value
          down.send(event)
        case (.ifEmpty, .completed):
          if all.isEmpty { down.send(.value(8)) }
          down.send(.completed)
        default: down.send(event)
        }
      }
    }
  }

  private func retry(_ source: @escaping ReferenceSignal, _ count: Int, after delay: Int?, _ down: ReferenceRun) {
    down.run(source) { event in
      guard case .failed = event, count > 0 else { return down.send(event) }
      guard let delay else { return retry(source, count - 1, after: nil, down) }
      clock.schedule(after: delay) { retry(source, count - 1, after: delay, down) }
    }
  }

  func flatMap(
    _ flattening: Tree.Flattening, _ source: @escaping ReferenceSignal, _ transform: @escaping (Int) -> ReferenceSignal
  ) -> ReferenceSignal {
    { down in
      var (queue, running, isOuterDone): ([ReferenceSignal], [ReferenceRun], Bool) = ([], [], false)
      func completeIfDone() {
        if isOuterDone && queue.isEmpty && running.isEmpty { down.send(.completed) }
      }
      func startNext() {
        let limit = flattening == .merge ? Int.max : flattening == .mergeTwo ? 2 : 1
        if queue.isEmpty || running.count >= limit || down.isTerminated { return }
        let inner = ReferenceRun { inner, event in
          guard case .completed = event else { return down.send(event) }
          running.removeAll { $0 === inner }
          startNext()
          completeIfDone()
        }
        running.append(inner)
        down.whenOver { inner.dispose() }
        queue.removeFirst()(inner)
      }
      down.run(source) { event in
        switch event {
        case .failed: return down.send(event)
        case .completed: isOuterDone = true
        case .value(let value):
          if flattening == .exhaust && !running.isEmpty { return }
          if flattening == .latest {
            for inner in running { inner.dispose() }
            running = []
          }
          queue.append(transform(value))
          startNext()
        }
        completeIfDone()
      }
    }
  }
}
