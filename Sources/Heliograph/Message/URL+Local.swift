package import Foundation

extension URL {
  /// Whether its host is this very machine, by its name or number: no network is needed to get there.
  package var isLocal: Bool {
    guard let host = host?.lowercased() else { return false }
    if host == "localhost" || host == "::1" || host == "[::1]" || host.hasSuffix(".localhost") { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
  }
}
