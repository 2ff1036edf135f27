import CCurl
import Foundation

/// Undoes one content coding, piece by piece.
///
/// libcurl could do it, but takes a body that is cut off for whole and forgets all but the first member of a gzip body.
final class Inflater {
  /// How large the decoded pieces are: large enough to be worth a delivery, small for what one byte may become.
  private static let pieceByteCount = 65_536

  let coding: ContentCoding
  private var decoder: OpaquePointer
  private var hasInput = false
  private var isBetweenMembers = false

  /// Whether there is a zlib.
  static var isAvailable: Bool { CurlLibrary.isAvailable && cinflate_is_available() == 1 }

  /// - Throws: a `network` error when memory is out.
  init(_ coding: ContentCoding) throws(NetworkError) {
    guard let decoder = cinflate_make(0) else {
      throw NetworkError(.network, .undecodableBody, reason: "there is no memory to decode the body")
    }
    self.coding = coding
    self.decoder = decoder
  }

  deinit { cinflate_free(decoder) }

  /// Whether what came is all of it; an empty body is.
  var isAtEnd: Bool { !hasInput || isBetweenMembers }

  /// Decodes a piece and hands on what it becomes, until that is not wanted any more.
  ///
  /// - Parameters:
  ///   - input: the next bytes.
  ///   - deliver: takes a decoded piece; returns whether it wants more.
  /// - Throws: a `network` error if the data are not what the coding says.
  func decode(
    _ input: UnsafeRawBufferPointer, _ deliver: (Data) throws(NetworkError) -> Bool
  ) throws(NetworkError) {
    var rest = input
    while !rest.isEmpty {
      try begin(rest)
      var isFull = true
      while isFull || !rest.isEmpty {
        let (piece, outcome, left) = step(rest)
        isFull = piece.count == Inflater.pieceByteCount
        rest = UnsafeRawBufferPointer(rebasing: rest[(rest.count - left)...])
        if !piece.isEmpty, try !deliver(piece) { return }
        if outcome == CINFLATE_INVALID {
          throw NetworkError(.network, .undecodableBody, reason: "the body is no valid \(coding.rawValue) data")
        }
        if outcome == CINFLATE_END {
          isBetweenMembers = true
          break
        }
      }
    }
  }

  /// Before a member's first byte: chooses how to read it.
  private func begin(_ input: UnsafeRawBufferPointer) throws(NetworkError) {
    if isBetweenMembers {
      // RFC 1952 §2.2: a gzip body may have several members. After any other there is nothing.
      guard coding == .gzip, cinflate_reset(decoder) == 0 else {
        throw NetworkError(.network, .undecodableBody, reason: "more follows the end of the \(coding.rawValue) data")
      }
      isBetweenMembers = false
    } else if !hasInput, coding == .deflate, let first = input.first, first & 0x0F != 8 {
      // No header of RFC 1950: the bare kind.
      guard let bare = cinflate_make(1) else {
        throw NetworkError(.network, .undecodableBody, reason: "there is no memory to decode the body")
      }
      cinflate_free(decoder)
      decoder = bare
    }
    hasInput = true
  }

  private func step(_ input: UnsafeRawBufferPointer) -> (piece: Data, outcome: Int, left: Int) {
    var piece = Data(count: Inflater.pieceByteCount)
    var left = input.count
    var room = Inflater.pieceByteCount
    let outcome = piece.withUnsafeMutableBytes { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return Int(CINFLATE_INVALID) }
      let source = input.bindMemory(to: UInt8.self).baseAddress ?? UnsafePointer(start)
      return cinflate_step(decoder, source, &left, start, &room)
    }
    piece.removeLast(room)
    return (piece, outcome, left)
  }
}
