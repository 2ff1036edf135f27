/// The latest values, up to a limit, in chunks: a copy shares them, and the next change copies one chunk at most.
///
/// Each operation is amortized O(1) but for the list of chunks, a 64th of the values.
@usableFromInline
struct ReplayBuffer<Value: Sendable>: Sendable {
  private static var chunkLength: Int { 64 }

  private let limit: Int
  private var chunks: [[Value?]] = []
  /// How many of the first chunk have been dropped.
  private var droppedCount = 0
  private(set) var count = 0

  init(limit: Int, _ values: [Value] = []) {
    self.limit = max(0, limit)
    for value in values { _ = append(value) }
  }

  /// Appends a value; returns the oldest one if it gives way, to be freed outside of a lock.
  @usableFromInline
  mutating func append(_ value: Value) -> Value? {
    guard limit > 0 else { return nil }
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

  /// The values, the oldest first.
  var values: some Sequence<Value> { chunks.lazy.joined().compactMap { $0 } }
}
