import Signals

/// Signals that continue with themselves, one level deeper.
private struct Recursion: Sendable {
  let levels: Int
  let watch: MemoryWatch

  /// Sends the number of levels when it has come to the bottom.
  @inline(never)
  func flatMap(_ level: Int = 0, _ work: @escaping @Sendable (Int) -> Numbers) -> Numbers {
    watch.pass(level)
    if level == levels { return .just(level) }
    return work(level).flatMap { flatMap($0 &+ 1, work) }
  }

  /// Sends a value at each level.
  @inline(never)
  func concat(_ level: Int = 0) -> Numbers {
    watch.pass(level)
    let value = Numbers.just(1)
    if level == levels - 1 { return value }
    return value.concat(.deferred { concat(level &+ 1) })
  }

  /// Sends a value at each level, each on a turn of its own of the scheduler.
  @inline(never)
  func concat(_ level: Int = 0, on scheduler: DispatchScheduler) -> Numbers {
    watch.pass(level)
    let value = later(1, on: scheduler)
    if level == levels - 1 { return value }
    return value.concat(.deferred { concat(level &+ 1, on: scheduler) })
  }
}

/// A last value.
@inline(never)
private func finalWork(_ value: Int) -> Numbers {
  Signal { observer in
    observer.complete(with: value)
    return nil
  }
}

/// A value and a completion.
@inline(never)
private func work(_ value: Int) -> Numbers {
  Signal { observer in
    observer.send(value)
    observer.complete()
    return nil
  }
}

@inline(never)
private func later(_ value: Int, on scheduler: DispatchScheduler) -> Numbers {
  Signal { observer in
    scheduler.schedule { observer.complete(with: value) }
    return nil
  }
}

extension Case {
  /// Recursion without a limit, in constant memory.
  static func recursions(_ options: Options) -> [Case] {
    // A turn of a dispatch queue dwarfs a level; fewer of them in a brief run.
    let queued = options.isBrief ? options.levels / 5 : options.levels
    return [
      synchronous("flatMap", options.levels, allocations: 9) { $0.flatMap(0, finalWork) },
      synchronous("flatMap of value and completion", options.levels, allocations: 9) { $0.flatMap(0, work) },
      synchronous("concat", options.levels, allocations: 2) { $0.concat() },
      queuedRecursion("flatMap", queued) { recursion, scheduler in
        recursion.flatMap { later($0, on: scheduler) }
      },
      queuedRecursion("concat", queued) { recursion, scheduler in recursion.concat(on: scheduler) },
    ]
  }

  private static func synchronous(
    _ name: String, _ levels: Int, allocations: Double, _ make: @escaping (Recursion) -> Numbers
  ) -> Case {
    let watch = MemoryWatch(levels: levels)
    return Case(
      name: "recursion, per level: \(name)", target: 92, allocationTarget: allocations, operations: levels, watch: watch
    ) {
      let recursion = Recursion(levels: levels, watch: watch)
      let tally = Tally()
      return {
        make(recursion).subscribe { if case .value(let value) = $0 { tally.add(value) } }
        return tally.take()
      }
    }
  }

  private static func queuedRecursion(
    _ name: String, _ levels: Int, _ make: @escaping (Recursion, DispatchScheduler) -> Numbers
  ) -> Case {
    let watch = MemoryWatch(levels: levels)
    return Case(
      name: "recursion on a serial scheduler, per level: \(name)", clock: .wall, operations: levels, watch: watch
    ) {
      let recursion = Recursion(levels: levels, watch: watch)
      let scheduler = DispatchScheduler.serial("benchmark")
      let tally = Tally()
      return {
        make(recursion, scheduler).wait(adding: tally)
        return tally.take()
      }
    }
  }
}
