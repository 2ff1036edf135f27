import Foundation
import Signals

/// The content of a part file that belongs to its download, with the journal of its checksums.
///
/// Each written block of 256 KiB is recorded in the journal with its checksum, so that the part file can be resumed
/// even if the process is killed. Data is synced in the background, for crashes of the system.
struct PartContent: Sendable {
  /// The size of a block in bytes; if the process is killed, at most the last block and the piece that would have
  /// completed it are lost.
  static let blockByteCount = 262_144

  let file: OpenFile
  let journal: OpenFile
  /// The strong validator of the representation; if it is `nil`, the part cannot be resumed.
  let validator: String?
  /// The length of the whole file; `nil` if it is unknown.
  var length: Int?
  /// The content codings of the file; see ``HTTPResponse/fileCodings``.
  let codings: String
  /// Whether the latest response continues the part, instead of replacing it.
  var isContinued = false
  private(set) var offset = 0
  /// The digest of the bytes written; `nil` if none is expected.
  private(set) var digest: SHA256?
  private(set) var unsyncedByteCount = 0
  /// Claimed at the end of the latest sync.
  private var syncEnd: Once?
  private var journalByteCount = 0
  private var blockStart = 0
  private var checksum = XXH64()

  /// Creates the content of an empty part.
  init(_ file: OpenFile, _ journal: OpenFile, validator: String?, length: Int?, codings: String, digest: SHA256?) {
    self.file = file
    self.journal = journal
    self.validator = validator
    self.length = length
    self.codings = codings
    self.digest = digest
  }

  /// Reads a part as far as its checksums match the journal; `nil` if no block matches, or reading is cancelled.
  init?(
    _ file: OpenFile, _ journal: OpenFile, verifiedBy record: PartRecord, digest: SHA256?, _ isCancelled: () -> Bool
  ) {
    self.init(
      file, journal, validator: record.validator, length: record.length, codings: record.codings, digest: digest)
    var verified = record
    verified.blocks.removeAll()
    for block in record.blocks {
      // The last block of a complete part is requested again, so that the server confirms that the content is
      // unchanged.
      if block.end == length { break }
      var next = self.digest
      let checksum = file.checksum(of: offset..<block.end, isCancelled: isCancelled) { next?.update($0) }
      guard checksum == block.checksum else { break }
      self.digest = next
      offset = block.end
      verified.blocks.append(block)
    }
    if offset == 0 || isCancelled() { return nil }
    blockStart = offset
    journalByteCount = verified.byteCount
  }

  /// The first position to request, with the validator; `nil` if the part cannot be resumed.
  var range: (start: Int, validator: String)? {
    guard offset > 0, let validator else { return nil }
    return (offset, validator)
  }

  /// Begins the journal; returns `false` after an error, and sets `errno`.
  mutating func begin(key: String) -> Bool {
    guard let validator else { return true }
    return record(PartRecord(key: key, validator: validator, length: length, codings: codings).head)
  }

  /// Removes the blocks that do not match from the journal.
  ///
  /// Their bytes remain in the file until it is complete: without locks another download may be appending to it.
  func truncateJournal(_ paths: PartPaths) throws(NetworkError) {
    guard journal.truncate(to: journalByteCount) else { throw .cannotWrite(paths.journal, errno) }
  }

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

  mutating func endBlock() {
    guard validator != nil, offset > blockStart else { return }
    // If this fails, the next block also covers these bytes.
    guard record(PartRecord.Block(end: offset, checksum: checksum.value).line) else { return }
    blockStart = offset
    checksum = XXH64()
  }

  private mutating func record(_ line: String) -> Bool {
    var line = line
    let isRecorded = line.withUTF8 { journal.write(UnsafeRawBufferPointer($0), at: journalByteCount) }
    if isRecorded { journalByteCount += line.utf8.count }
    return isRecorded
  }

  /// Syncs in the background, unless an earlier sync is in flight: on a slow disk each would block a thread.
  mutating func sync(on scheduler: any SignalScheduler = DispatchScheduler(.global(qos: .utility))) {
    unsyncedByteCount = 0
    guard validator != nil, syncEnd?.isClaimed ?? true else { return }
    let end = Once()
    syncEnd = end
    scheduler.schedule { [file, journal] in
      _ = file.sync()
      _ = journal.sync()
      end.claim()
    }
  }
}
