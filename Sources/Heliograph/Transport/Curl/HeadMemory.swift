import Foundation

/// The lines of the last head that came by: servers say the same again and again, but for a date once a second.
///
/// To compare a line costs a tenth of what it costs to take it apart.
struct HeadMemory {
  /// Longer heads are not kept: 4 KiB.
  private static let byteLimit = 4096

  private var bytes: [UInt8] = []
  /// Where each line ends.
  private var ends: [Int] = []
  /// How many lines of the present head were the same until now.
  private var sameCount = 0
  /// Whether it holds a head to its end.
  private var isWhole = false

  /// Whether the present head is, until now, the same as the last one.
  private(set) var isSame = false

  /// Whether the present head has come to the end of the last one, and is the same.
  var isSameToTheEnd: Bool { isSame && sameCount == ends.count }

  /// Begins another head.
  mutating func begin() {
    if !isWhole { clear() }
    sameCount = 0
    isSame = isWhole
  }

  /// Compares the next line; `false` if the heads part here, after which the last one is forgotten from here on.
  mutating func hasNext(_ line: UnsafeRawBufferPointer) -> Bool {
    let start = sameCount == 0 ? 0 : ends[sameCount - 1]
    let hasRoom = sameCount < ends.count && ends[sameCount] - start == line.count
    if hasRoom, let text = line.baseAddress,
      bytes.withUnsafeBytes({ $0.baseAddress.map { memcmp($0 + start, text, line.count) == 0 } ?? false })
    {
      sameCount += 1
      return true
    }
    isSame = false
    isWhole = false
    bytes.removeSubrange(start...)
    ends.removeSubrange(sameCount...)
    return false
  }

  /// The lines that are held, in order.
  var lines: [ArraySlice<UInt8>] {
    ends.indices.map { bytes[($0 == 0 ? 0 : ends[$0 - 1])..<ends[$0]] }
  }

  /// Adds a line that is not the same.
  mutating func add(_ line: UnsafeRawBufferPointer) {
    guard bytes.count + line.count <= HeadMemory.byteLimit else { return }
    bytes.append(contentsOf: line)
    ends.append(bytes.count)
  }

  /// Keeps the head, which is at its end.
  ///
  /// - Parameter byteCount: how long all of it is.
  mutating func keep(byteCount: Int) { isWhole = byteCount == bytes.count }

  private mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
