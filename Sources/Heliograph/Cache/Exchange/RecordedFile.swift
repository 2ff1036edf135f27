import Foundation
import Signals

/// The file of a long body, written as the body is received.
///
/// The requests of a shared exchange write it together: the first that receives a piece writes it, so that the file is
/// complete if one of them reads to the end. They may receive pieces on several threads.
final class RecordedFile: Sendable {
  private struct State {
    /// The pieces that are not written yet.
    var pieces = FIFOQueue<Data>()
    /// The number of bytes received, including those of ``pieces``.
    var byteCount = 0
    var writtenByteCount = 0
    var hasFailed = false
  }

  let name: EntryName
  private let writer: DiskWriter
  private let state = Guarded(State())
  private let drain = Drain()

  /// Creates the file of an entry; `nil` if that fails.
  init?(_ name: EntryName, head: StoredHead, on disk: DiskStore?) {
    guard let writer = disk?.writer(for: name, head: head.encoded) else { return nil }
    self.name = name
    self.writer = writer
  }

  /// Adds pieces of the body, unless another request has.
  ///
  /// - Parameters:
  ///   - pieces: The pieces, which are the same for all requests.
  ///   - offset: The number of bytes that the request has received before.
  /// - Returns: Whether the file is intact: the entry is not too large, and the disk is not full.
  func add(_ pieces: [Data], at offset: Int) -> Bool {
    state.withLock { state in
      var offset = offset
      for piece in pieces {
        if offset == state.byteCount {
          state.pieces.append(piece)
          state.byteCount += piece.count
        }
        offset += piece.count
      }
    }
    drain.run {
      while let piece = state.withLock({ $0.pieces.popFirst() }) {
        let isWritten = writer.append(piece)
        state.withLock { state in
          if isWritten { state.writtenByteCount += piece.count } else { state.hasFailed = true }
        }
      }
    }
    return !state.withLock { $0.hasFailed }
  }

  /// Completes the entry, and returns whether it is stored.
  ///
  /// It is not if another thread is still writing, which is rare.
  func commit() -> Bool {
    state.withLock { $0.writtenByteCount == $0.byteCount } && writer.commit()
  }
}
