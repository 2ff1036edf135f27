// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The part of Apple's CryptoKit module that the sources use, declared from its documentation
// (https://developer.apple.com/documentation/cryptokit), so that `.ci/apple-check` can type-check on Linux what stands
// behind `canImport(CryptoKit)`. It is never linked into anything.

public import Foundation

/// The result of a hash: a sequence of its bytes.
public protocol Digest: CustomStringConvertible, Hashable, Sendable, Sequence where Element == UInt8 {
  static var byteCount: Int { get }
}

extension Digest {
  public var description: String { "" }
  public func makeIterator() -> [UInt8].Iterator { [].makeIterator() }
}

/// A cryptographic hash function.
public protocol HashFunction: Sendable {
  associatedtype Digest: CryptoKit.Digest

  static var blockByteCount: Int { get }

  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Digest
}

extension HashFunction {
  public static func hash<D: DataProtocol>(data: D) -> Digest { Self().finalize() }
}

public struct SHA256Digest: Digest {
  public static var byteCount: Int { 32 }
}

public struct SHA256: HashFunction {
  public static var byteCount: Int { 32 }
  public static var blockByteCount: Int { 64 }

  public init() {}

  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}

  public func finalize() -> SHA256Digest { SHA256Digest() }
}
