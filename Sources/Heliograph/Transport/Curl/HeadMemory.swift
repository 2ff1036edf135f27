#if HELIOGRAPH_CURL
import Foundation

/// The bytes of the previous head: most servers repeat it and change only the date, and comparing a line takes a tenth
/// of the time of parsing it.
struct HeadMemory {
  private static let byteLimit = 4096

  private var bytes: [UInt8] = []
  /// The number of bytes in which the current head equals the previous one so far.
  private var matchedByteCount = 0
  private var isComplete = false

  /// Whether the current head equals the previous one so far.
  private(set) var isMatching = false

  /// Whether the current head has reached the end of the previous one and equals it.
  var isFullMatch: Bool { isMatching && matchedByteCount == bytes.count }

  mutating func begin() {
    if !isComplete { bytes.removeAll(keepingCapacity: true) }
    matchedByteCount = 0
    isMatching = isComplete
  }

  /// Compares the next line; at the first difference, returns `false` and drops the rest of the previous head.
  mutating func matchNext(_ line: UnsafeRawBufferPointer) -> Bool {
    let end = matchedByteCount + line.count
    // Equal bytes mean equal lines, because each line has exactly one line end.
    if end <= bytes.count, let text = line.baseAddress,
      bytes.withUnsafeBytes({ $0.baseAddress.map { memcmp($0 + matchedByteCount, text, line.count) == 0 } ?? false })
    {
      matchedByteCount = end
      return true
    }
    isMatching = false
    isComplete = false
    bytes.removeSubrange(matchedByteCount...)
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

  mutating func add(_ line: UnsafeRawBufferPointer) {
    if bytes.count + line.count <= HeadMemory.byteLimit { bytes.append(contentsOf: line) }
  }

  /// Marks the stored head as complete if it has all bytes of the received head.
  mutating func complete(byteCount: Int) { isComplete = byteCount == bytes.count }
}
#endif
