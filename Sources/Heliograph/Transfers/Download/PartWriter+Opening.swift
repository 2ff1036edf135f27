import Foundation

extension PartWriter {
  /// Opens, locks and verifies the part, or creates it; see ``PartFile/open(key:resumes:_:)``.
  init(
    _ paths: PartPaths, key: String, _ options: DownloadOptions, resumes: Bool, _ isCancelled: () -> Bool
  ) throws(NetworkError) {
    self.init(
      paths: paths, key: key, options: options, resumes: resumes, file: try paths.openPart(options),
      digest: options.sha256.map { _ in SHA256() })
    do throws(NetworkError) {
      try resume(isCancelled)
    } catch {
      close()
      throw error
    }
  }

  /// Continues the part if its content is that of this download; otherwise it is left as it is until a response begins.
  private mutating func resume(_ isCancelled: () -> Bool) throws(NetworkError) {
    let isEmpty = file.status?.byteCount == 0
    guard let journal = try paths.openJournal() else {
      // A file of another program.
      if !isEmpty { throw .cannotCreate(paths.part, EEXIST) }
      return
    }
    if isEmpty { return paths.removeJournal(journal) }
    guard resumes, var record = try record(in: journal), record.key == key else { return }
    record.blocks = verify(record, isCancelled)
    if offset == 0 || isCancelled() { return }
    guard journal.truncate(to: record.byteCount) else { throw .cannotWrite(paths.journal, errno) }
    guard file.truncate(to: offset) else { throw .cannotWrite(paths.part, errno) }
    (self.journal, journalByteCount) = (journal, record.byteCount)
    (validator, length) = (record.validator, record.length)
  }

  private func record(in journal: OpenFile) throws(NetworkError) -> PartRecord? {
    var data = Data(count: min(journal.status?.byteCount ?? 0, 268_435_456))
    let count = data.withUnsafeMutableBytes { journal.read(into: $0, at: 0) }
    guard let count else { throw .cannotCreate(paths.journal, errno) }
    return PartRecord(data.prefix(count))
  }

  /// Reads the part as far as the checksums of its journal agree; returns the verified blocks.
  private mutating func verify(_ record: PartRecord, _ isCancelled: () -> Bool) -> [PartRecord.Block] {
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

  /// Closes the part: it is kept if it can be continued.
  func close() {
    var last = self
    last.endBlock()
    let isContinuable = journal == nil ? file.status?.byteCount != 0 : validator != nil && offset > 0
    // Before it is unlocked: afterwards it may be the part of another download.
    if !isContinuable || !paths.isPart(file) { paths.remove(file, journal) }
    file.unlock()
    last.sync()
  }
}
