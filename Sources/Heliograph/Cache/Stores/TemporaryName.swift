import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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

  /// Creates a new name in this process.
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
