import Foundation

private let name = EntryName(account: 1, environment: 2, service: 3, api: 4, keyHigh: 5, keyLow: 6)
// In memory, where the system has such a folder.
private let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
private let folder = URL(fileURLWithPath: parent).appendingPathComponent("heliograph-fuzz-\(getpid())")
private let store: DiskStore? = {
  atexit { try? FileManager.default.removeItem(at: folder) }
  return try? DiskStore(folder: folder, capacity: 1 << 30, reserve: 0) { _, _ in }
}()

/// Any bytes as the file of an entry: exactly the content that they have, or a corrupt entry, which is removed.
///
/// The first byte tells which parts of the prologue are made right, as no chance makes checksums right: 1 its own
/// checksum, 2 the magic and version, 4 the checksums of head and body, 8 the length of the body, 16 a small head.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEntry(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let store, let mode = UnsafeBufferPointer(start: start, count: count).first else { return 0 }
  let bytes = repaired(Array(UnsafeBufferPointer(start: start, count: count).dropFirst()), mode)
  if !write(bytes, to: store) {
    expect(store.writer(for: name, head: Data())?.commit() == true, "cannot be written")
    expect(write(bytes, to: store), "the folder is missing")
  }
  switch store.open(name) {
  case .absent: expect(false, "is absent")
  case .corrupt: expect(!store.folder.mayContain(name), "is corrupt and still there")
  case .found(let entry):
    let bodyStart = EntryPrologue.byteCount + entry.head.count
    expect(bodyStart + entry.bodyByteCount == bytes.count, "has another length")
    expect(Data(bytes[EntryPrologue.byteCount..<bodyStart]) == entry.head, "has another head")
    let isValid = entry.verify()
    expect(isValid == store.folder.mayContain(name), "is corrupt and still there, or valid and removed")
    expect(entry.readBody() == (isValid ? Data(bytes[bodyStart...]) : nil), "has another body")
    let offset = Int(mode) * 1_000
    let part = entry.read(at: offset, count: 100)
    let expected = isValid && offset <= entry.bodyByteCount ? Data(bytes[(bodyStart + offset)...].prefix(100)) : nil
    expect(part == expected, "has another part")
    let other = EntryPrologue(
      bytes: bytes, name: EntryName(account: 2, environment: 2, service: 3, api: 4, keyHigh: 5, keyLow: 6))
    expect(other == nil, "is valid under another name")
  }
  return 0
}

/// Writes the file of the entry; returns whether it could.
private func write(_ bytes: [UInt8], to store: DiskStore) -> Bool {
  let descriptor = open(store.folder.path(of: name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  return descriptor >= 0 && bytes.withUnsafeBytes { OpenFile(descriptor: descriptor).write($0, at: 0) }
}

extension EntryPrologue {
  fileprivate init?(bytes: [UInt8], name: EntryName) {
    let prologue = bytes.withUnsafeBytes { EntryPrologue($0, name: name, fileByteCount: bytes.count) }
    guard let prologue else { return nil }
    self = prologue
  }
}

/// Makes parts of a prologue right.
private func repaired(_ bytes: [UInt8], _ mode: UInt8) -> [UInt8] {
  guard bytes.count >= EntryPrologue.byteCount else { return bytes }
  var bytes = bytes
  func set(_ offset: Int, _ word: UInt64) {
    for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index)) }
  }
  func word(_ offset: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) } }
  if mode & 2 != 0 { set(0, 0x0000_0001_4543_4748) }
  if mode & 16 != 0 { set(8, word(8) % UInt64(bytes.count - EntryPrologue.byteCount + 1)) }
  if mode & 8 != 0 { set(16, UInt64(bytes.count - EntryPrologue.byteCount) &- word(8)) }
  if mode & 4 != 0, let headByteCount = Int(exactly: word(8)), headByteCount <= bytes.count - EntryPrologue.byteCount {
    let bodyStart = EntryPrologue.byteCount + headByteCount
    set(24, bytes[EntryPrologue.byteCount..<bodyStart].withUnsafeBytes { XXH64.checksum(of: $0) })
    set(32, bytes[bodyStart...].withUnsafeBytes { XXH64.checksum(of: $0) })
  }
  if mode & 1 != 0 { set(48, bytes.withUnsafeBytes { EntryPrologue.checksum(of: $0, name) }) }
  return bytes
}
