#if HELIOGRAPH_CURL
import Foundation

/// The bytes of the previous head: most servers repeat it and change only the date.
///
/// Comparing a line costs a tenth of parsing it.
struct HeadMemory {
  /// The maximum size of a stored head: 4 KiB.
  private static let byteLimit = 4096

  private var bytes: [UInt8] = []
  /// The number of bytes in which the current head equals the previous one so far.
  private var sameCount = 0
  /// Whether a complete head is stored.
  private var isWhole = false

  /// Whether the current head equals the previous one so far.
  private(set) var isSame = false

  /// Whether the current head has reached the end of the previous one and equals it.
  var isSameToTheEnd: Bool { isSame && sameCount == bytes.count }

  /// Begins another head.
  mutating func begin() {
    if !isWhole { bytes.removeAll(keepingCapacity: true) }
    sameCount = 0
    isSame = isWhole
  }

  /// Compares the next line; at the first difference it returns `false` and drops the rest of the previous head.
  mutating func hasNext(_ line: UnsafeRawBufferPointer) -> Bool {
    let end = sameCount + line.count
    // Equal bytes are equal lines, because each line has exactly one line end.
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

  /// The stored lines in order, each with its line end.
  var lines: [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(bytes[start...end])
      start = end + 1
    }
    return lines
  }

  /// Adds a line that differs.
  mutating func add(_ line: UnsafeRawBufferPointer) {
    if bytes.count + line.count <= HeadMemory.byteLimit { bytes.append(contentsOf: line) }
  }

  /// Completes the stored head.
  ///
  /// - Parameter byteCount: The size of the whole head in bytes.
  mutating func keep(byteCount: Int) { isWhole = byteCount == bytes.count }
}
#endif
