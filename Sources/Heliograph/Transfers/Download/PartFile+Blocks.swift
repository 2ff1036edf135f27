import Foundation

extension PartFile.State {
  /// Continues the part of a journal, as far as its checksums agree.
  ///
  /// - Parameters:
  ///   - record: the journal.
  ///   - isCancelled: whether to stop.
  /// - Returns: the verified blocks.
  mutating func resume(_ record: PartRecord, _ isCancelled: () -> Bool) -> [PartRecord.Block] {
    guard let file else { return [] }
    validator = record.validator
    length = record.length
    var blocks: [PartRecord.Block] = []
    for block in record.blocks {
      // A complete part asks for its last block again: the server says whether it is still the same content.
      if block.end == record.length { break }
      var next = digest
      let checksum = file.checksum(of: offset..<block.end, &next, isCancelled)
      guard let checksum, checksum == block.checksum else { break }
      digest = next
      offset = block.end
      blockStart = offset
      blocks.append(block)
    }
    return blocks
  }

  /// Writes bytes at the end; returns `false` after an error, and sets `errno`.
  mutating func append(_ data: Data) -> Bool {
    guard let file else { return true }
    let isWritten = data.withUnsafeBytes { bytes in
      guard file.write(bytes, at: offset) else { return false }
      digest?.update(bytes)
      if journal != nil { checksum.update(bytes) }
      return true
    }
    guard isWritten else { return false }
    offset += data.count
    unsyncedByteCount += data.count
    if offset - blockStart >= PartFile.blockByteCount { endBlock() }
    return true
  }

  /// Notes the block that has been written.
  mutating func endBlock() {
    guard let journal, offset > blockStart else { return }
    var line = PartRecord.Block(end: offset, checksum: checksum.value).line
    let byteCount = line.utf8.count
    let isNoted = line.withUTF8 { journal.write(UnsafeRawBufferPointer($0), at: journalByteCount) }
    // Without the line the block grows: the next one has its bytes, too.
    guard isNoted else { return }
    journalByteCount += byteCount
    blockStart = offset
    checksum = XXH64()
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
