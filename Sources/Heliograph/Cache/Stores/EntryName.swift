import Foundation
import Synchronization

/// The name of an entry's file: hashes of its account, environment, service and API, and a 128-bit hash of its key.
///
/// The first hashes serve removal by prefix. Only the hash of the key identifies an entry.
package struct EntryName: Hashable, Sendable {
  static let digitCount = 64

  package var account: UInt32
  package var environment: UInt32
  package var service: UInt32
  package var api: UInt32
  package var keyHigh: UInt64
  package var keyLow: UInt64

  package init(account: UInt32, environment: UInt32, service: UInt32, api: UInt32, keyHigh: UInt64, keyLow: UInt64) {
    self.account = account
    self.environment = environment
    self.service = service
    self.api = api
    self.keyHigh = keyHigh
    self.keyLow = keyLow
  }

  package func hash(into hasher: inout Hasher) {
    // They are hashes of the whole key.
    hasher.combine(keyHigh)
    hasher.combine(keyLow)
  }

  /// Creates a name from its text; `nil` unless it consists of 64 lower-case hexadecimal digits.
  package init?(_ text: some StringProtocol) {
    self.init(utf8: text.utf8)
  }

  init?(utf8 bytes: some Collection<UInt8>) {
    var words = SIMD4<UInt64>()
    var count = 0
    for byte in bytes {
      guard count < Self.digitCount, byte | 0x20 == byte, let digit = byte.hexDigitValue else { return nil }
      words[count / 16] = words[count / 16] << 4 | UInt64(digit)
      count += 1
    }
    guard count == Self.digitCount else { return nil }
    self.init(words: words)
  }

  package var text: String {
    String(unsafeUninitializedCapacity: Self.digitCount) { buffer in
      write(to: buffer)
      return Self.digitCount
    }
  }

  /// The number of the entry's subfolder.
  var shard: UInt8 { UInt8(truncatingIfNeeded: keyLow) }

  /// All hashes in the order of the text.
  var words: SIMD4<UInt64> {
    SIMD4(
      UInt64(account) << 32 | UInt64(environment), UInt64(service) << 32 | UInt64(api), keyHigh, keyLow)
  }

  private init(words: SIMD4<UInt64>) {
    self.init(
      account: UInt32(truncatingIfNeeded: words[0] >> 32), environment: UInt32(truncatingIfNeeded: words[0]),
      service: UInt32(truncatingIfNeeded: words[1] >> 32), api: UInt32(truncatingIfNeeded: words[1]),
      keyHigh: words[2], keyLow: words[3])
  }

  /// Writes the digits of the text to the start of a buffer.
  func write(to buffer: UnsafeMutableBufferPointer<UInt8>) {
    let words = words
    for index in 0..<Self.digitCount {
      let number = words[index / 16] >> UInt64(60 - 4 * (index % 16))
      // In lower case.
      buffer[index] = UInt8(truncatingIfNeeded: number).lowHexDigit | 0x20
    }
  }
}

/// The name of a temporary file: the entry that it will become, and the process that writes it.
///
/// Removals recognize the entry, even in other processes. A random token distinguishes processes with the same ID, such
/// as earlier ones or those of other containers.
struct TemporaryName: Sendable {
  let entry: EntryName
  let text: String
  private let token: UInt64

  private static let ownToken = UInt64.random(in: .min ... .max)
  private static let lastNumber = Atomic(0)

  init(for entry: EntryName) {
    self.entry = entry
    token = Self.ownToken
    let number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    text = "\(entry.text).\(getpid()).\(String(token, radix: 16)).\(number)"
  }

  /// Reads the name of a file; `nil` if it is not one of a temporary file.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let entry = EntryName(parts[0]), pid_t(parts[1]) != nil,
      let token = UInt64(parts[2], radix: 16), Int(parts[3]) != nil
    else { return nil }
    self.entry = entry
    self.text = text
    self.token = token
  }

  /// Whether this process writes the file.
  var isOwn: Bool { token == Self.ownToken }
}
