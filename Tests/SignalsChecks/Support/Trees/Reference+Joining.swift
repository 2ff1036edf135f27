import SignalsTestSupport

extension Reference {
  func apply(
    _ operation: Tree.Binary, _ left: @escaping ReferenceSignal, _ right: @escaping ReferenceSignal
  ) -> ReferenceSignal {
    switch operation {
    case .merge:
      flatMap(.merge, ready([.value(0), .value(1), .completed])) { $0 == 0 ? left : right }
    case .concat:
      { down in
        down.run(left) { event in if event == .completed { down.run(right, down.send) } else { down.send(event) } }
      }
    case .then:
      { down in
        down.run(left) { event in
          switch event {
          case .value: break
          case .failed: down.send(event)
          case .completed: down.run(right, down.send)
          }
        }
      }
    case .catch:
      { down in
        down.run(left) { event in
          if case .failed = event { down.run(right, down.send) } else { down.send(event) }
        }
      }
    case .takeUntil:
      { down in
        down.run(right) { event in
          switch event {
          case .value: down.send(.completed)
          case .failed: down.send(event)
          case .completed: break
          }
        }
        down.run(left, down.send)
      }
    case .flatMap(let flattening):
      flatMap(flattening, left) { outer in
        { down in
          down.run(right) { event in
            if case .value(let value) = event {
              down.send(.value(Arithmetic.joined(outer, value)))
            } else {
              down.send(event)
            }
          }
        }
      }
    case .zip: join(left, right, zip)
    case .combineLatest: join(left, right, combineLatest)
    case .withLatest: join(left, right, isOtherFirst: true, withLatest)
    }
  }

  /// What the two sources of a joining operator have sent.
  private struct Inputs {
    var left: [Int] = []
    var right: [Int] = []
    var isLeftDone = false
    var isRightDone = false
    /// Whether the newest event is a value of the left one.
    var isFromLeft = false
    var isValue = false
  }

  private func join(
    _ left: @escaping ReferenceSignal, _ right: @escaping ReferenceSignal, isOtherFirst: Bool = false,
    _ react: @escaping (inout Inputs, ReferenceRun) -> Void
  ) -> ReferenceSignal {
    { down in
      var inputs = Inputs()
      func receive(_ event: ReferenceEvent, isLeft: Bool) {
        inputs.isFromLeft = isLeft
        inputs.isValue = !event.isEnd
        switch event {
        case .value(let value): if isLeft { inputs.left.append(value) } else { inputs.right.append(value) }
        case .failed: return down.send(event)
        case .completed: if isLeft { inputs.isLeftDone = true } else { inputs.isRightDone = true }
        }
        react(&inputs, down)
      }
      if isOtherFirst { down.run(right) { receive($0, isLeft: false) } }
      down.run(left) { receive($0, isLeft: true) }
      if !isOtherFirst { down.run(right) { receive($0, isLeft: false) } }
    }
  }

  private func zip(_ inputs: inout Inputs, _ down: ReferenceRun) {
    if !inputs.left.isEmpty && !inputs.right.isEmpty {
      down.send(.value(Arithmetic.joined(inputs.left.removeFirst(), inputs.right.removeFirst())))
    }
    if (inputs.isLeftDone && inputs.left.isEmpty) || (inputs.isRightDone && inputs.right.isEmpty) {
      down.send(.completed)
    }
  }

  private func combineLatest(_ inputs: inout Inputs, _ down: ReferenceRun) {
    if inputs.isValue, let left = inputs.left.last, let right = inputs.right.last {
      down.send(.value(Arithmetic.joined(left, right)))
    }
    let isLeftEmpty = inputs.isLeftDone && inputs.left.isEmpty
    let isRightEmpty = inputs.isRightDone && inputs.right.isEmpty
    if (inputs.isLeftDone && inputs.isRightDone) || isLeftEmpty || isRightEmpty { down.send(.completed) }
  }

  private func withLatest(_ inputs: inout Inputs, _ down: ReferenceRun) {
    if inputs.isValue, inputs.isFromLeft, let left = inputs.left.last, let right = inputs.right.last {
      down.send(.value(Arithmetic.joined(left, right)))
    }
    if inputs.isLeftDone || (inputs.isRightDone && inputs.right.isEmpty) { down.send(.completed) }
  }

  /// The operators that wait for a clock.
  ///
  /// Work that comes due after the end finds its subscription over.
  func timed(_ operation: Tree.Unary, _ source: @escaping ReferenceSignal) -> ReferenceSignal {
    switch operation {
    case .delay(let interval): { down in delay(source, interval, down) }
    case .debounce(let interval): { down in debounce(source, interval, down) }
    case .throttle(let interval): { down in throttle(source, interval, down) }
    case .timeout(let interval): { down in timeout(source, interval, down) }
    case .observe: { down in observe(source, down) }
    default: { down in clock.schedule(after: 0) { down.run(source, down.send) } }
    }
  }

  /// One timer at a time, for the first event that is held back.
  private func delay(_ source: @escaping ReferenceSignal, _ interval: Int, _ down: ReferenceRun) {
    var held: [(event: ReferenceEvent, dueAt: Int)] = []
    func setTimer() {
      guard let first = held.first else { return }
      clock.schedule(after: first.dueAt - clock.now) {
        while let first = held.first, first.dueAt <= clock.now {
          held.removeFirst()
          down.send(first.event)
        }
        setTimer()
      }
    }
    down.run(source) { event in
      if case .failed = event { return down.send(event) }
      held.append((event, clock.now + interval))
      if held.count == 1 { setTimer() }
    }
  }

  /// One timer at a time, which is set again if it fires too early.
  private func debounce(_ source: @escaping ReferenceSignal, _ interval: Int, _ down: ReferenceRun) {
    var (latest, dueAt, isTimerSet): (Int?, Int, Bool) = (nil, 0, false)
    func setTimer() {
      isTimerSet = true
      clock.schedule(after: dueAt - clock.now) {
        isTimerSet = false
        guard let value = latest else { return }
        if dueAt > clock.now { return setTimer() }
        latest = nil
        down.send(.value(value))
      }
    }
    down.run(source) { event in
      switch event {
      case .failed: down.send(event)
      case .completed: finish(&latest, down)
      case .value(let value):
        latest = value
        dueAt = clock.now + interval
        if !isTimerSet { setTimer() }
      }
    }
  }

  private func throttle(_ source: @escaping ReferenceSignal, _ interval: Int, _ down: ReferenceRun) {
    var (latest, isInInterval): (Int?, Bool) = (nil, false)
    func beginInterval() {
      isInInterval = true
      clock.schedule(after: interval) {
        isInInterval = false
        guard let value = latest else { return }
        latest = nil
        beginInterval()
        down.send(.value(value))
      }
    }
    down.run(source) { event in
      switch event {
      case .failed: down.send(event)
      case .completed: finish(&latest, down)
      case .value(let value):
        if isInInterval {
          latest = value
        } else {
          beginInterval()
          down.send(event)
        }
      }
    }
  }

  /// A pending value is sent by the clock, and the completion after it.
  private func finish(_ latest: inout Int?, _ down: ReferenceRun) {
    guard let value = latest else { return down.send(.completed) }
    latest = nil
    clock.schedule(after: 0) {
      down.send(.value(value))
      down.send(.completed)
    }
  }

  private func timeout(_ source: @escaping ReferenceSignal, _ interval: Int, _ down: ReferenceRun) {
    var count = 0
    func wait() {
      count += 1
      let number = count
      clock.schedule(after: interval) { if number == count { down.send(.failed(.late)) } }
    }
    wait()
    down.run(source) { event in
      wait()
      down.send(event)
    }
  }

  private func observe(_ source: @escaping ReferenceSignal, _ down: ReferenceRun) {
    var (queue, isScheduled): ([ReferenceEvent], Bool) = ([], false)
    down.run(source) { event in
      queue.append(event)
      if isScheduled { return }
      isScheduled = true
      clock.schedule(after: 0) {
        while !queue.isEmpty { down.send(queue.removeFirst()) }
        isScheduled = false
      }
    }
  }
}
