/// The prologue of an entry's file, of fixed size: lengths, checksums and the time of its creation.
///
/// All numbers are little-endian:
///
///     0   magic "HGCE"              4 bytes
///     4   format version            4
///     8   length of the head        8
///     16  length of the body        8
///     24  checksum of the head      8
///     32  checksum of the body      8
///     40  time of the creation      8   nanoseconds since 1970
///     48  checksum of the above     8   and of the entry's name, so that a file under another name is invalid
///
/// The head follows, then the body. The prologue is written last: a file without it is not an entry.
struct EntryPrologue: Equatable, Sendable {
  static let byteCount = 56
  static let headLimit = 1 << 20
  private static let magic: UInt32 = 0x4543_4748
  private static let version: UInt32 = 1

  var headByteCount: Int
  var bodyByteCount: Int
  var headChecksum: UInt64
  var bodyChecksum: UInt64
  var createdAt: Int64

  var fileByteCount: Int { Self.byteCount + headByteCount + bodyByteCount }

  var bodyOffset: Int { Self.byteCount + headByteCount }

  func bytes(for name: EntryName) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ word: UInt64) { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
    append(UInt64(Self.version) << 32 | UInt64(Self.magic))
    append(UInt64(headByteCount))
    append(UInt64(bodyByteCount))
    append(headChecksum)
    append(bodyChecksum)
    append(UInt64(bitPattern: createdAt))
    append(bytes.withUnsafeBytes { Self.checksum(of: $0, name) })
    return bytes
  }

  /// The checksum at the end of a prologue.
  static func checksum(of bytes: UnsafeRawBufferPointer, _ name: EntryName) -> UInt64 {
    var hasher = XXH64()
    hasher.update(UnsafeRawBufferPointer(rebasing: bytes.prefix(48)))
    let words = name.words
    for index in 0..<4 {
      withUnsafeBytes(of: words[index].littleEndian) { hasher.update($0) }
    }
    return hasher.value
  }
}

extension EntryPrologue {
  /// Reads the prologue of an entry's file; `nil` if it is invalid for this name and file length.
  init?(_ bytes: UnsafeRawBufferPointer, name: EntryName, fileByteCount: Int) {
    guard bytes.count >= Self.byteCount else { return nil }
    func number(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    guard UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) == Self.magic,
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) == Self.version,
      number(48) == Self.checksum(of: bytes, name),
      let headByteCount = Int(exactly: number(8)), headByteCount <= Self.headLimit,
      let bodyByteCount = Int(exactly: number(16)),
      // Both are subtracted from known lengths, so that nothing can overflow.
      fileByteCount >= Self.byteCount + headByteCount,
      bodyByteCount == fileByteCount - Self.byteCount - headByteCount
    else { return nil }
    self.headByteCount = headByteCount
    self.bodyByteCount = bodyByteCount
    headChecksum = number(24)
    bodyChecksum = number(32)
    createdAt = Int64(bitPattern: number(40))
  }
}
