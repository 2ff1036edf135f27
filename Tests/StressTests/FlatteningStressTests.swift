import Signals
import Testing

extension AllStressTests {
  @Suite(.serialized) struct FlatteningStressTests {
    /// An inner signal that is work, or a ready value.
    @Sendable private static func inner(_ value: Int) -> Signal<Int, Oops> {
      if value % 2 == 0 { return .just(value) }
      return Signal { observer in
        observer.complete(with: value)
        return nil
      }
    }

    @Test func flattening() async {
      await stress(
        "flatten",
        [
          ("merge", { .two(expecting: { $0 + $1 }) { .merge([$0, $1]) } }),
          ("flatMap", { .one { $0.flatMap(.merge, Self.inner) } }),
          ("flatMapConcat", { .one { $0.flatMap(.concat, Self.inner) } }),
          ("concat", { .two(limit: 1) { $0.concat($1) } }),
          ("merging", { .two(isOrdered: false) { outer, inner in outer.flatMap(.merge) { _ in inner } } }),
          (
            "queueing",
            {
              .two(isOrdered: false) { outer, inner in outer.flatMap(.merge(maxConcurrent: 2)) { _ in inner.take(1) } }
            }
          ),
          ("latest", { .two { outer, inner in outer.flatMap(.latest) { _ in inner } } }),
          ("exhaust", { .two { outer, inner in outer.flatMap(.exhaust) { _ in inner } } }),
        ])
    }

    /// Inners that run at once are mixed with pending ones, so that both paths of delivery meet.
    @Test func mixing() async {
      await stressSeeded(
        "mix",
        [
          ("merge", { Inners.rig(.merge, seed: $0, isOrdered: false) }),
          ("limited", { Inners.rig(.merge(maxConcurrent: 2), seed: $0, isOrdered: false, limit: 2) }),
          ("concat", { Inners.rig(.concat, seed: $0, limit: 1) }),
          ("latest", { Inners.rig(.latest, seed: $0, losesNone: false) }),
          ("exhaust", { Inners.rig(.exhaust, seed: $0, losesNone: false) }),
        ])
    }

    @Test func staleFailures() async {
      await stressRounds("stale") { StaleRound($0, &$1, $2) }
    }
  }
}
