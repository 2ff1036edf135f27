#if canImport(CryptoKit)
private import CryptoKit
package import Foundation

/// SHA-256, implemented by CryptoKit.
package struct SHA256 {
  private var hash = CryptoKit.SHA256()

  package init() {}

  package mutating func update(_ bytes: some ContiguousBytes) {
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
  }

  package consuming func finalize() -> [UInt8] { Array(hash.finalize()) }
}
#endif
