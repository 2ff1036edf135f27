import Foundation

/// The content of an entry's file as read at once: the head, and a small body.
struct EntryContent: Sendable {
  /// The maximum body length for reading the whole file at once.
  static let smallBodyByteCount = 65_536
  /// The maximum head length for such a read.
  private static let headAllowance = 16_384

  let prologue: EntryPrologue
  let head: Data
  /// The body, verified; `nil` if it has not been read.
  let body: Data?

  /// Reads an entry's file; `nil` if anything in it is invalid.
  ///
  /// Lengths in the file are compared with its actual length before anything is allocated.
  init?(_ file: OpenFile, byteCount: Int, name: EntryName) {
    guard byteCount >= EntryPrologue.byteCount else { return nil }
    let isSmall = byteCount <= EntryPrologue.byteCount + Self.headAllowance + Self.smallBodyByteCount
    let room = isSmall ? byteCount : min(byteCount, EntryPrologue.byteCount + Self.headAllowance)
    let content = withUnsafeTemporaryAllocation(byteCount: room, alignment: 8) { buffer -> EntryContent? in
      guard file.read(into: buffer, at: 0) == room else { return nil }
      return EntryContent(UnsafeRawBufferPointer(buffer), of: file, byteCount: byteCount, name: name)
    }
    guard let content else { return nil }
    self = content
  }

  /// Reads the beginning of a file, which is in memory, and the rest of its head.
  private init?(_ start: UnsafeRawBufferPointer, of file: OpenFile, byteCount: Int, name: EntryName) {
    guard let prologue = EntryPrologue(start, name: name, fileByteCount: byteCount) else { return nil }
    self.prologue = prologue
    if prologue.bodyOffset <= start.count {
      head = Data(UnsafeRawBufferPointer(rebasing: start[EntryPrologue.byteCount..<prologue.bodyOffset]))
    } else {
      guard let head = Self.read(file, at: EntryPrologue.byteCount, count: prologue.headByteCount) else { return nil }
      self.head = head
    }
    guard head.withUnsafeBytes({ XXH64.checksum(of: $0) }) == prologue.headChecksum else { return nil }
    if prologue.fileByteCount == start.count {
      let bytes = UnsafeRawBufferPointer(rebasing: start[prologue.bodyOffset...])
      guard XXH64.checksum(of: bytes) == prologue.bodyChecksum else { return nil }
      body = Data(bytes)
    } else {
      body = nil
    }
  }

  /// Reads a range of a file; `nil` if it is incomplete.
  static func read(_ file: OpenFile, at offset: Int, count: Int) -> Data? {
    var data = Data(count: count)
    let isRead = data.withUnsafeMutableBytes { file.read(into: $0, at: offset) == count }
    return isRead ? data : nil
  }
}
