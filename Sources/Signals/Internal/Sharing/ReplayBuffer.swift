/// A buffer of the latest values, up to a limit, in copy-on-write chunks.
///
/// A copy shares the chunks, and the next change copies at most one. Each operation is O(1) amortized, except for
/// copying the list of chunks, whose length is 1/64 of the number of values.
@usableFromInline
struct ReplayBuffer<Value: Sendable>: Sendable {
  private static var chunkLength: Int { 64 }

  let limit: Int
  private var chunks: [[Value?]] = []
  /// The number of values dropped from the first chunk.
  private var droppedCount = 0
  private(set) var count = 0

  init(limit: Int, _ values: [Value] = []) {
    self.limit = max(0, limit)
    for value in values { _ = append(value) }
  }

  /// Appends a value; returns the oldest one if it is dropped, so that the caller frees it outside a lock.
  @usableFromInline
  mutating func append(_ value: Value) -> Value? {
    guard limit > 0 else { return nil }
    if limit == 1, count == 1 {
      // Replaced in place, because a current value may change often.
      var previous: Value? = value
      swap(&chunks[chunks.count - 1][chunks[chunks.count - 1].count - 1], &previous)
      return previous
    }
    let oldest = count == limit ? dropFirst() : nil
    if let last = chunks.last, last.count < Self.chunkLength {
      chunks[chunks.count - 1].append(value)
    } else {
      chunks.append([value])
    }
    count += 1
    return oldest
  }

  private mutating func dropFirst() -> Value? {
    let oldest = chunks[0][droppedCount].take()
    droppedCount += 1
    count -= 1
    if droppedCount == chunks[0].count {
      chunks.removeFirst()
      droppedCount = 0
    }
    return oldest
  }

  /// The values, oldest first.
  var values: some Sequence<Value> { chunks.lazy.joined().compactMap { $0 } }
}
