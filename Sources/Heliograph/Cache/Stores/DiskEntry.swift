package import Foundation
import Synchronization

/// An open entry on disk: its head, and its body in memory or in the open file; it remains readable when the entry is
/// replaced, removed or evicted.
package final class DiskEntry: Sendable {
  /// The length of the pieces in which a large body is verified.
  static let chunkByteCount = 65_536

  package let head: Data
  package let bodyByteCount: Int

  private let name: EntryName
  private let content: EntryContent
  /// The open file of a large body.
  private let file: OpenFile?
  private let store: DiskStore
  private let isVerified: Atomic<Bool>

  init(_ name: EntryName, _ content: EntryContent, _ file: OpenFile, in store: DiskStore) {
    self.name = name
    self.content = content
    self.file = content.body == nil ? file : nil
    self.store = store
    head = content.head
    bodyByteCount = content.prologue.bodyByteCount
    isVerified = Atomic(content.body != nil)
  }

  /// Reads the whole body and verifies it; `nil` if it was corrupt, in which case the entry has been removed.
  package func readBody() -> Data? {
    guard let file else { return content.body }
    guard let body = file.data(at: content.prologue.bodyOffset, count: bodyByteCount),
      body.withUnsafeBytes({ XXH64.checksum(of: $0) }) == content.prologue.bodyChecksum
    else { return discard() }
    isVerified.store(true, ordering: .releasing)
    return body
  }

  /// Verifies the body in one pass, once, with 64 KiB of memory; a corrupt entry is removed.
  package func verify() -> Bool {
    guard let file, !isVerified.load(ordering: .acquiring) else { return true }
    let start = content.prologue.bodyOffset
    guard file.checksum(of: start..<start + bodyByteCount) == content.prologue.bodyChecksum else {
      let _: Data? = discard()
      return false
    }
    isVerified.store(true, ordering: .releasing)
    return true
  }

  /// Reads a range of the body, fewer bytes at its end; the body is verified before the first read.
  package func read(at offset: Int, count: Int) -> Data? {
    guard offset >= 0, count >= 0, offset <= bodyByteCount else { return nil }
    let count = min(count, bodyByteCount - offset)
    guard let file else { return content.body.map { Data($0.dropFirst(offset).prefix(count)) } }
    guard verify() else { return nil }
    // Another program may have shortened the file since.
    let data = file.data(at: content.prologue.bodyOffset + offset, count: count)
    return data?.count == count ? data : nil
  }

  /// Returns whether another entry has the same content and was created at the same time.
  func isSame(as other: DiskEntry) -> Bool { head == other.head && content.prologue == other.content.prologue }

  private func discard() -> Data? {
    store.removeCorrupt(name, file?.status?.identity)
    return nil
  }
}

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
  /// Lengths in the file are compared with its actual length before anything is allocated. A file of up to 16 KiB is
  /// read as a whole, even without `readsBody`.
  init?(_ file: OpenFile, byteCount: Int, name: EntryName, readsBody: Bool = true) {
    guard byteCount >= EntryPrologue.byteCount else { return nil }
    let bodyAllowance = readsBody ? Self.smallBodyByteCount : 0
    let isSmall = byteCount <= EntryPrologue.byteCount + Self.headAllowance + bodyAllowance
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
      guard let head = file.data(at: EntryPrologue.byteCount, count: prologue.headByteCount) else { return nil }
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
}
