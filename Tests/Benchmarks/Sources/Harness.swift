/// What was measured of one case.
struct Measurement {
  let benchmark: Case
  /// Nanoseconds per operation, one of each round.
  let times: [Double]
  /// Nanoseconds of the floor, or of the baseline, in the same rounds.
  let floors: [Double]
  let allocations: Double?

  /// The multiple of the floor or baseline: the median over the rounds, each compared with it right before and after.
  var multiple: Double { zip(times, floors).map { $0 / $1 }.median }

  /// How far beyond its target a line must be for `--check` to fail: another process on the machine shall not fail it.
  ///
  /// The same work by hand suffers as much. The floor is closure calls only: where memory and atomic operations are slower in
  /// proportion, a line takes up to twice as many of them, and what threads share up to four times as many.
  var tolerance: Double {
    if benchmark.baseline != nil { return 1.5 }
    return benchmark.clock == .wall ? 5 : 3
  }

  /// The time, as a fraction of the target; 0 without a target.
  var timeOfTarget: Double { benchmark.target.map { multiple / $0 } ?? 0 }

  /// What a subscription allocates once is spread over its events, hence the hundredth.
  var isAllocationMissed: Bool {
    guard let allocations, let target = benchmark.allocationTarget else { return false }
    return allocations > target + 0.01
  }

  var isMemoryMissed: Bool { benchmark.watch?.growth.map { $0 > MemoryWatch.limit } ?? false }

  var isMissed: Bool { timeOfTarget > 1 || isAllocationMissed || isMemoryMissed }

  /// Whether `--check` fails.
  var isFailure: Bool { timeOfTarget > tolerance || isAllocationMissed || isMemoryMissed }
}

/// Runs cases, each between two looks at the floor.
struct Harness {
  let options: Options
  let floor = Floor()

  init(_ options: Options) {
    self.options = options
  }

  /// Measures a case; with `--check` up to three times while it fails, as another process may have been in the way.
  func measure(_ benchmark: Case) -> Measurement {
    var result = measureOnce(benchmark)
    for _ in 1..<3 where options.checks && result.isFailure {
      let again = measureOnce(benchmark)
      if !again.isFailure || again.timeOfTarget < result.timeOfTarget { result = again }
    }
    return result
  }

  private func measureOnce(_ benchmark: Case) -> Measurement {
    let work = benchmark.prepare()
    func run(_ count: Int) {
      for _ in 0..<count {
        let seen = work()
        precondition(seen == benchmark.operations, "\(benchmark.name): \(seen) of \(benchmark.operations)")
      }
    }
    let clock = benchmark.clock
    let operations = Double(benchmark.operations)

    run(1)
    _ = floor.sample(clock)
    let once = max(1, clock.measure { run(1) })
    let repeats = max(1, Int(options.sampleLength / once))
    func sampleFloor() -> Double {
      guard let baseline = benchmark.baseline else { return floor.sample(clock) }
      return clock.measure { for _ in 0..<repeats { baseline() } } / (operations * Double(repeats))
    }
    _ = sampleFloor()
    run(repeats > 1 ? repeats / 2 : 0)

    var (times, floors) = ([Double](), [Double]())
    for _ in 0..<(once > 100_000_000 ? Options.leastRounds : options.rounds) {
      let before = sampleFloor()
      times.append(clock.measure { run(repeats) } / (operations * Double(repeats)))
      floors.append((before + sampleFloor()) / 2)
    }
    let count = allocations { run(1) }
    return Measurement(
      benchmark: benchmark, times: times, floors: floors, allocations: count.map { Double($0) / operations })
  }
}
