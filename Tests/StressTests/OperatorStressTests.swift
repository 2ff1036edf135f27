import Signals
import Testing

extension AllStressTests {
  @Suite(.serialized) struct OperatorStressTests {
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
          ("catch", { .two(limit: 1) { left, right in left.catch { _ in right } } }),
          ("retry", { .one(limit: 1) { $0.retry(2) } }),
          ("retryWhen", { .one(limit: 1) { $0.retry { _, count in count < 3 } } }),
          ("ifEmpty", { .one { $0.ifEmpty(0) } }),
        ])
    }
  }
}
