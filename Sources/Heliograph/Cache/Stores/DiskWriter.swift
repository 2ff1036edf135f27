package import Foundation
import Signals

/// A writer of one entry: writes a temporary file that becomes the entry on commit.
///
/// It is used by one thread at a time: overlapping calls fail, and the entry is then not written. Deallocation
/// without a commit removes the temporary file.
package final class DiskWriter: Sendable {
  private struct Progress: Sendable {
    let file: OpenFile
    var hasher = XXH64()
    var bodyByteCount = 0
    /// The body length at which free space is checked again.
    var checkpoint = DiskWriter.checkedByteCount
  }

  /// The number of bytes after which free space is checked again.
  private static let checkedByteCount = 1 << 20

  private let store: DiskStore
  private let temporary: TemporaryName
  private let headByteCount: Int
  private let headChecksum: UInt64
  /// The progress; `nil` during a call, and after a failure or the commit.
  private let progress: Guarded<Progress?>

  /// Creates the temporary file and writes the head; `nil` if that fails.
  init?(_ name: EntryName, head: Data, in store: DiskStore) {
    let temporary = TemporaryName(for: name)
    guard let file = store.folder.create(temporary) else {
      store.handleFailedWrite(errno)
      return nil
    }
    guard head.withUnsafeBytes({ store.write($0, to: file, at: EntryPrologue.byteCount) }) else {
      store.folder.remove(temporary)
      return nil
    }
    self.store = store
    self.temporary = temporary
    headByteCount = head.count
    headChecksum = head.withUnsafeBytes { XXH64.checksum(of: $0) }
    progress = Guarded(Progress(file: file))
  }

  var name: EntryName { temporary.entry }

  deinit {
    if take() != nil { store.folder.remove(temporary) }
  }

  /// Appends a piece of the body; `false` if the entry is too large or cannot be written, and the writer has failed.
  package func append(_ piece: Data) -> Bool {
    guard var progress = take() else { return false }
    let offset = EntryPrologue.byteCount + headByteCount + progress.bodyByteCount
    guard piece.count <= store.entryLimit - offset, makeRoom(for: piece, &progress),
      piece.withUnsafeBytes({ store.write($0, to: progress.file, at: offset) })
    else { return fail() }
    piece.withUnsafeBytes { progress.hasher.update($0) }
    progress.bodyByteCount += piece.count
    self.progress.withLock { [progress] in $0 = progress }
    return true
  }

  /// Appends the pieces of a body that are not written yet.
  ///
  /// The requests of a shared exchange receive each piece one after another and write it together: the first one
  /// appends it. `offset` is the position of the first piece, at most the number of bytes that are written.
  func append(_ pieces: [Data], at offset: Int) -> Bool {
    var offset = offset
    for piece in pieces {
      guard let byteCount = progress.withLock({ $0?.bodyByteCount }) else { return false }
      if offset == byteCount, !append(piece) { return false }
      offset += piece.count
    }
    return true
  }

  /// Completes the entry, which replaces a previous one; `false` if it was removed since the writer was created.
  package func commit() -> Bool {
    guard let progress = take() else { return false }
    let prologue = EntryPrologue(
      headByteCount: headByteCount, bodyByteCount: progress.bodyByteCount, headChecksum: headChecksum,
      bodyChecksum: progress.hasher.value, createdAt: FileStatus.now)
    let bytes = prologue.bytes(for: temporary.entry)
    guard bytes.withUnsafeBytes({ store.write($0, to: progress.file, at: 0) }),
      store.publish(temporary, byteCount: prologue.fileByteCount)
    else { return fail() }
    return true
  }

  private func take() -> Progress? { progress.withLock { $0.take() } }

  private func fail() -> Bool {
    store.folder.remove(temporary)
    return false
  }

  private func makeRoom(for piece: Data, _ progress: inout Progress) -> Bool {
    guard progress.bodyByteCount + piece.count >= progress.checkpoint else { return true }
    progress.checkpoint = progress.bodyByteCount + piece.count + Self.checkedByteCount
    return store.makeRoom(for: piece.count)
  }
}
