#if HELIOGRAPH_CURL
import Foundation

/// The bytes of the last head that came by: servers say the same again and again, but for a date once a second.
///
/// To compare a line costs a tenth of what it costs to take it apart.
struct HeadMemory {
  /// Longer heads are not kept: 4 KiB.
  private static let byteLimit = 4096

  private var bytes: [UInt8] = []
  /// How many bytes of the present head were the same until now.
  private var sameCount = 0
  /// Whether it holds a head to its end.
  private var isWhole = false

  /// Whether the present head is, until now, the same as the last one.
  private(set) var isSame = false

  /// Whether the present head has come to the end of the last one, and is the same.
  var isSameToTheEnd: Bool { isSame && sameCount == bytes.count }

  /// Begins another head.
  mutating func begin() {
    if !isWhole { bytes.removeAll(keepingCapacity: true) }
    sameCount = 0
    isSame = isWhole
  }

  /// Compares the next line; `false` if the heads part here, after which the last one is forgotten from here on.
  mutating func hasNext(_ line: UnsafeRawBufferPointer) -> Bool {
    let end = sameCount + line.count
    // Equal bytes are equal lines, too: each of them has one line end.
    if end <= bytes.count, let text = line.baseAddress,
      bytes.withUnsafeBytes({ $0.baseAddress.map { memcmp($0 + sameCount, text, line.count) == 0 } ?? false })
    {
      sameCount = end
      return true
    }
    isSame = false
    isWhole = false
    bytes.removeSubrange(sameCount...)
    return false
  }

  /// The lines that are held, in order, each with its end.
  var lines: [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(bytes[start...end])
      start = end + 1
    }
    return lines
  }

  /// Adds a line that is not the same.
  mutating func add(_ line: UnsafeRawBufferPointer) {
    if bytes.count + line.count <= HeadMemory.byteLimit { bytes.append(contentsOf: line) }
  }

  /// Keeps the head, which is at its end.
  ///
  /// - Parameter byteCount: how long all of it is.
  mutating func keep(byteCount: Int) { isWhole = byteCount == bytes.count }
}
#endif
