import HeliographTesting
import Signals
import TestSupport

extension Stage {
  package static let creating = [
    Stage("Signal.just(_:)") { source, _ in Signal<Signal<Token, Fault>, Fault>.just(source).flatMap { $0 } },
    Stage("Signal.empty") { source, _ in Signal.empty.concat(source) },
    Stage("Signal.never") { source, _ in source.take(until: Signal<Void, Fault>.never) },
    Stage("Signal.fail(_:)") { source, parts in Signal.fail(Fault.broken).catch(parts.keep { _ in source }) },
    Stage("Signal.deferred(_:)") { source, parts in .deferred(parts.keep { source }) },
    Stage("Signal.from(_:)") { source, _ in Signal<Signal<Token, Fault>, Fault>.from([source]).flatten(.concat) },
  ]

  package static let flattening =
    [
      ("merge", FlattenStrategy.merge), ("merge(maxConcurrent:)", .merge(maxConcurrent: 1)), ("concat", .concat),
      ("latest", .latest), ("exhaust", .exhaust),
    ].flatMap { name, strategy in
      [
        Stage("flatMap(_:_:)", name) { $0.flatMap(strategy, $1.echo()) },
        Stage("flatMap(_:_:)", "\(name) to another source", .patient) { $0.flatMap(strategy, $1.aside()) },
      ]
    } + [
      Stage("flatMap(_:_:)", "to ready signals") { $0.flatMap(.merge, $1.echo(.ready)) },
      Stage("flatMap(_:_:)", "to fused signals") { $0.flatMap(.merge, $1.echo(.fused)) },
      Stage("flatten(_:)") { $0.map($1.echo()).flatten(.latest) },
      Stage("concat()") { $0.map($1.echo()).concat() },
      Stage("concat(_:)") { $0.concat($1.side.signal) },
      Stage("concat(_:)", "after another", .patient) { $1.side.signal.concat($0) },
      Stage("Signal.concat(_:)") { Signal.concat([.empty, $0, $1.side.signal]) },
      Stage("then(_:)", "", .patient) { $0.then($1.side.signal) },
      Stage("prepend(_:)") { $0.prepend($1.token(-1)) },
      Stage("append(_:)") { $0.append($1.token(-1)) },
      Stage("merge(_:_:)") { $0.merge($1.side.signal) },
      Stage("Signal.merge(_:)") { Signal.merge([$1.side.signal, $0]) },
      Stage("Signal.merge(_:_:_:)") { Signal.merge($1.side.signal, $0) },
      Stage("amb(_:)") { $0.amb($1.side.signal) },
      Stage("Signal.amb(_:)") { Signal.amb([$1.side.signal, $0, .never]) },
    ]

  package static let combining = [
    Stage("zip(_:)", "", .patient) { $0.zip($1.side.signal).map { $0.0 } },
    Stage("zip(_:)", "after another", .patient) { $1.side.signal.zip($0).map { $0.0 } },
    Stage("combineLatest(_:)", "", .patient) { $0.combineLatest($1.side.signal).map { $0.0 } },
    Stage("combineLatest(_:)", "after another", .patient) { $1.side.signal.combineLatest($0).map { $0.0 } },
    Stage("withLatest(from:)", "", .patient) { $0.withLatest(from: $1.side.signal).map { $0.0 } },
    Stage("withLatest(from:)", "the source", .patient) { $1.side.signal.withLatest(from: $0).map { $0.1 } },
    Stage("Signal.zip(_:)", "", .patient) { Signal.zip([$1.side.signal, $0, $1.side.signal]).map { $0[1] } },
    Stage("Signal.zip(_:)", "of two", .patient) { Signal.zip($0, $1.side.signal).map { $0.0 } },
    Stage("Signal.zip(_:)", "of six", .patient) {
      let side = $1.side.signal
      return Signal.zip($0, side, side, side, side, side).map { $0.0 }
    },
    Stage("Signal.combineLatest(_:)", "of six", .patient) {
      let side = $1.side.signal
      return Signal.combineLatest($0, side, side, side, side, side).map { $0.0 }
    },
    Stage("Signal.combineLatest(_:)", "", .patient) {
      Signal.combineLatest([$1.side.signal, $0, $1.side.signal]).map { $0[1] }
    },
    Stage("Signal.combineLatest(_:)", "of three", .patient) {
      let side = $1.side.signal
      return Signal.combineLatest($0, side, side).map { $0.0 }
    },
    Stage("share(replay:)", "0", .prompt, .shares) { source, _ in source.share() },
    Stage("share(replay:)", "2", .prompt, .shares) { source, _ in source.share(replay: 2) },
    Stage("replayLazily()", "", .prompt, .shares) { source, _ in source.replayLazily() },
  ]
}
