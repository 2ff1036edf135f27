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
/// Removals recognize the entry, also in other processes, and a scan recognizes the files of dead processes. A random
/// token distinguishes a process from a former one with the same number.
struct TemporaryName: Sendable {
  let entry: EntryName
  let text: String
  private let process: pid_t
  private let token: UInt64

  private static let ownToken = UInt64.random(in: .min ... .max)
  private static let lastNumber = Atomic(0)

  /// Creates a new name in this process.
  init(for entry: EntryName) {
    self.entry = entry
    process = getpid()
    token = Self.ownToken
    let number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    text = "\(entry.text).\(process).\(String(token, radix: 16)).\(number)"
  }

  /// Reads the name of a file; `nil` if it is not one of a temporary file.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let entry = EntryName(parts[0]), let process = pid_t(parts[1]),
      let token = UInt64(parts[2], radix: 16), Int(parts[3]) != nil
    else { return nil }
    self.entry = entry
    self.text = text
    self.process = process
    self.token = token
  }

  /// Whether this process writes the file.
  var isOwn: Bool { token == Self.ownToken }

  /// Whether no process writes the file any longer.
  var isOfDeadProcess: Bool {
    if process == getpid() { return !isOwn }
    // A process of another user, or outside of the sandbox, must not be asked: that it exists is the answer.
    return process <= 0 || kill(process, 0) != 0 && errno == ESRCH
  }
}
