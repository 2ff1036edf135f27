#if HELIOGRAPH_CURL
import CCurl
import Foundation

/// A decoder for one content coding, piece by piece.
///
/// libcurl could do it, but accepts a truncated body as complete and drops all but the first member of a gzip body.
final class Inflater {
  /// The maximum size of a decoded piece: large enough for a delivery, yet small for data that may expand a
  /// thousandfold.
  private static let pieceByteCount = 65_536

  let coding: ContentCoding
  private var decoder: OpaquePointer
  private var hasInput = false
  private var isBetweenMembers = false
  /// The input that is not decoded yet.
  private var rest = Data()
  /// Whether the last piece had no room for all of the output.
  private var isFull = false
  private var isInvalid = false

  /// - Throws: A `network` error if memory is exhausted.
  init(_ coding: ContentCoding) throws(NetworkError) {
    guard let decoder = cdecode_make(coding.decoderKind) else {
      throw NetworkError(.undecodableBody, reason: "out of memory while decoding the body")
    }
    self.coding = coding
    self.decoder = decoder
  }

  deinit { cdecode_free(decoder) }

  /// Whether the input so far is complete; empty input is.
  var isAtEnd: Bool { !hasInput || isBetweenMembers }

  /// Adds input; it is decoded when a piece is requested.
  func feed(_ input: Data) { if rest.isEmpty { rest = input } else { rest += input } }

  /// Whether there may be another piece without more input.
  var hasRest: Bool { isFull || isInvalid || !rest.isEmpty }

  /// Decodes the next piece and no more, because a few bytes may expand to gigabytes.
  ///
  /// - Returns: The piece; `nil` if more input is needed.
  /// - Throws: A `network` error if the data is invalid in the coding.
  func next() throws(NetworkError) -> Data? {
    while hasRest {
      if isInvalid {
        throw NetworkError(.undecodableBody, reason: "invalid \(coding.rawValue) data")
      }
      if let first = rest.first { try begin(first) }
      let (piece, outcome, left) = rest.withUnsafeBytes { step($0) }
      rest = left == 0 ? Data() : rest.suffix(left)
      isInvalid = outcome == CDECODE_INVALID
      isBetweenMembers = outcome == CDECODE_END
      isFull = outcome == CDECODE_MORE && piece.count == Inflater.pieceByteCount
      if !piece.isEmpty { return piece }
    }
    return nil
  }

  /// Selects the format at the first byte of a member.
  private func begin(_ first: UInt8) throws(NetworkError) {
    if isBetweenMembers {
      // RFC 1952 §2.2, RFC 8878 §3: gzip may have several members, and zstd several frames. The others end here.
      guard coding == .gzip || coding == .zstd, cdecode_reset(decoder) == 0 else {
        throw NetworkError(.undecodableBody, reason: "trailing data after the \(coding.rawValue) stream")
      }
      isBetweenMembers = false
    } else if !hasInput, coding == .deflate, first & 0x0F != 8 {
      // Without the header of RFC 1950: raw deflate.
      guard let bare = cdecode_make(Int32(CDECODE_BARE_DEFLATE)) else {
        throw NetworkError(.undecodableBody, reason: "out of memory while decoding the body")
      }
      cdecode_free(decoder)
      decoder = bare
    }
    hasInput = true
  }

  private func step(_ input: UnsafeRawBufferPointer) -> (piece: Data, outcome: Int, left: Int) {
    var piece = Data(count: Inflater.pieceByteCount)
    var left = input.count
    var room = Inflater.pieceByteCount
    let outcome = piece.withUnsafeMutableBytes { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return Int(CDECODE_INVALID) }
      let source = input.bindMemory(to: UInt8.self).baseAddress ?? UnsafePointer(start)
      return cdecode_step(decoder, source, &left, start, &room)
    }
    piece.removeLast(room)
    return (piece, outcome, left)
  }
}

extension ContentCoding {
  /// The decoder's number in C.
  fileprivate var decoderKind: Int32 {
    switch self {
    case .gzip, .deflate: Int32(CDECODE_ZLIB)
    case .brotli: Int32(CDECODE_BROTLI)
    case .zstd: Int32(CDECODE_ZSTD)
    }
  }

  /// Whether this machine has the library that decodes the coding: zlib, libbrotlidec or libzstd.
  ///
  /// A transport offers no other coding. On macOS only gzip and deflate are supported.
  public var isSupported: Bool { CurlLibrary.isAvailable && cdecode_is_available(decoderKind) == 1 }
}
#endif
