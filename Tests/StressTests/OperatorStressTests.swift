import Signals
import Testing

extension AllStressTests {
  @Suite(.serialized) struct OperatorStressTests {
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
          ("concat", { .two { $0.concat($1) } }),
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

    @Test func combining() async {
      await stress(
        "combine",
        [
          ("zip", { .two(expecting: { min($0, $1) }) { $0.zip($1).map { $0.0 } } }),
          ("combineLatest", { .two(isOrdered: false) { $0.combineLatest($1).map { $0.0 } } }),
          ("withLatest", { .two { $0.withLatest(from: $1).map { $0.0 } } }),
        ])
    }

    @Test func recovering() async {
      await stress(
        "recover",
        [
          ("catch", { .two { left, right in left.catch { _ in right } } }),
          ("retry", { .one { $0.retry(.times(2)) } }),
          ("retryWhen", { .one { $0.retry { _, count in count < 3 } } }),
          ("ifEmpty", { .one { $0.ifEmpty(0) } }),
        ])
    }
  }
}
