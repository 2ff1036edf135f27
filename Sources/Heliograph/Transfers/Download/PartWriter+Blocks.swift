import Foundation

extension PartWriter {
  /// Appends bytes; returns `false` after an error, and sets `errno`.
  mutating func append(_ data: Data) -> Bool {
    let isWritten = data.withUnsafeBytes { bytes in
      guard file.write(bytes, at: offset) else { return false }
      digest?.update(bytes)
      if validator != nil { checksum.update(bytes) }
      return true
    }
    guard isWritten else { return false }
    offset += data.count
    unsyncedByteCount += data.count
    if offset - blockStart >= Self.blockByteCount { endBlock() }
    return true
  }

  /// Records the block that has been written.
  mutating func endBlock() {
    guard let journal, validator != nil, offset > blockStart else { return }
    var line = PartRecord.Block(end: offset, checksum: checksum.value).line
    let byteCount = line.utf8.count
    let isRecorded = line.withUTF8 { journal.write(UnsafeRawBufferPointer($0), at: journalByteCount) }
    // Without the line the block grows: the next one has its bytes, too.
    guard isRecorded else { return }
    journalByteCount += byteCount
    blockStart = offset
    checksum = XXH64()
  }

  /// Syncs the part and its journal in the background.
  func sync() {
    guard let journal, validator != nil else { return }
    DispatchQueue.global(qos: .utility).async { [file] in
      _ = file.sync()
      _ = journal.sync()
    }
  }
}

extension OpenFile {
  /// Returns the checksum of a range, and adds the bytes to a digest; `nil` if it is shorter, cannot be read, or is
  /// cancelled.
  func checksum(of range: Range<Int>, _ digest: inout SHA256?, _ isCancelled: () -> Bool) -> UInt64? {
    var checksum = XXH64()
    var offset = range.lowerBound
    let isWhole = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
      while offset < range.upperBound {
        let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(range.upperBound - offset))
        guard !isCancelled(), read(into: wanted, at: offset) == wanted.count else { return false }
        checksum.update(UnsafeRawBufferPointer(wanted))
        digest?.update(UnsafeRawBufferPointer(wanted))
        offset += wanted.count
      }
      return true
    }
    return isWhole ? checksum.value : nil
  }
}
