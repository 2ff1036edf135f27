// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The part of Apple's CryptoKit module that the sources use, declared from its documentation
// (https://developer.apple.com/documentation/cryptokit), so that `.ci/apple-check` can type-check on Linux what stands
// behind `canImport(CryptoKit)`. It is never linked into anything.

/// The result of a hash: a sequence of its bytes.
public struct SHA256Digest: Sequence {
  public func makeIterator() -> [UInt8].Iterator { [].makeIterator() }
}

/// A hash.
public struct SHA256 {
  public init() {}

  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}

  public func finalize() -> SHA256Digest { SHA256Digest() }
}
