import Foundation
import Signals

/// The opening of a part, which takes as long as it takes to read it, and can be cancelled meanwhile.
final class PartOpening: Sendable {
  private struct State {
    /// The locked file, while it is being verified.
    var file: OpenFile?
    var isCancelled = false
  }

  private let paths: PartPaths
  private let state = Guarded(State())

  init(_ paths: PartPaths) {
    self.paths = paths
  }

  /// Opens, locks and verifies the part of a file, or creates it.
  ///
  /// - Parameters:
  ///   - key: the checksum of the content's identity; a part with another one is discarded.
  ///   - options: the settings.
  /// - Returns: the part; `nil` if the opening was cancelled.
  /// - Throws: a `client` error.
  func open(key: String, _ options: DownloadOptions) throws(NetworkError) -> PartFile? {
    let file = try paths.openPart(options)
    let isHeld = state.withLock { state in
      state.file = state.isCancelled ? nil : file
      return !state.isCancelled
    }
    guard isHeld else {
      file.unlock()
      return nil
    }
    do throws(NetworkError) {
      var part = PartFile.State(file: file, digest: options.digest.map { _ in SHA256() })
      var record = try options.resumes ? paths.readRecord() : nil
      if record?.key != key { record = nil }
      if let found = record { record?.blocks = part.resume(found) { self.isCancelled } }
      return try begin(part, record).map { PartFile(paths, key: key, options, $0) }
    } catch {
      release()
      throw error
    }
  }

  /// Removes what was not verified, unless the opening was cancelled meanwhile.
  private func begin(
    _ part: PartFile.State, _ record: PartRecord?
  ) throws(NetworkError) -> PartFile.State? {
    let paths = paths
    let (begun, failure) = state.withLock { state -> (PartFile.State?, NetworkError?) in
      guard let file = state.file else { return (nil, nil) }
      var part = part
      do throws(NetworkError) {
        // The journal first: without it, no download continues the part.
        if let record {
          (part.journal, part.journalByteCount) = try paths.reopen(record)
        } else {
          paths.removeJournal()
        }
        guard file.truncate(to: part.offset) else { throw .cannotWrite(paths.part, errno) }
      } catch {
        return (nil, error)
      }
      state.file = nil
      return (part, nil)
    }
    if let failure { throw failure }
    return begun
  }

  /// Cancels the opening: the part is free at once, and nothing of it is changed afterwards.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    release()
  }

  private func release() {
    let paths = paths
    state.withLock { state in
      guard let file = state.file.take() else { return }
      if file.status?.byteCount == 0 { paths.remove(file) }
      file.unlock()
    }
  }

  private var isCancelled: Bool { state.withLock { $0.isCancelled } }
}
