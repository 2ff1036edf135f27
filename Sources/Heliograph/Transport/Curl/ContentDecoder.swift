#if HELIOGRAPH_CURL
import CCurl
import Foundation

/// A decoder for the content codings of a body, which decodes the last applied coding first.
struct ContentDecoder: CustomStringConvertible {
  /// The maximum number of codings in a row.
  private static let limit = 5
  private let inflaters: [Inflater]
  private let surplusByteLimit: Int

  /// Creates a decoder for a `Content-Encoding` among the codings that were offered; `nil` if nothing is to be decoded.
  ///
  /// A coding may have 64 MiB more than twice the body: codings add little to it, and a decoder holds back at most 16
  /// MiB (RFC 7932 §9.1). Without this limit a few kilobytes in several codings could expand to terabytes that decode
  /// to nothing, and padding or members without data could follow a body without end.
  init?(_ field: String, _ codings: [ContentCoding], surplusByteLimit: Int = 67_108_864) throws(NetworkError) {
    guard !codings.isEmpty else { return nil }
    var inflaters: [Inflater] = []
    for name in HTTPHeaders.contentCodings(in: field) {
      // RFC 9110 §8.4.1.3: `x-gzip` is an alias.
      guard let coding = ContentCoding(rawValue: name == "x-gzip" ? "gzip" : name),
        codings.contains(coding), inflaters.count < ContentDecoder.limit
      else {
        throw NetworkError(
          .undecodableBody, reason: "unsupported Content-Encoding \(field.loggedCoding): not in Accept-Encoding"
        ).withExcerpt(field)
      }
      inflaters.append(try Inflater(coding))
    }
    if inflaters.isEmpty { return nil }
    self.inflaters = inflaters.reversed()
    self.surplusByteLimit = surplusByteLimit
  }

  /// What is wrong with a body that has ended before its codings.
  var shortage: String {
    hasTrailingData ? "trailing data after the \(self) stream" : "truncated \(self) data"
  }

  /// Whether bytes follow the data of a coding that are too few to be known as no further member.
  var hasTrailingData: Bool { inflaters.contains(where: \.hasTrailingData) }

  var description: String { inflaters.map(\.coding.rawValue).joined(separator: ", ") }

  /// Whether the body is complete; an empty body counts as complete.
  var isAtEnd: Bool { inflaters.allSatisfy(\.isAtEnd) }

  /// Adds input, which is decoded when a piece is requested.
  func feed(_ input: Data) { inflaters.first?.feed(input) }

  /// Whether another piece may be available without more input.
  var hasPendingOutput: Bool { inflaters.contains(where: \.hasPendingOutput) }

  /// Decodes the next piece, by one step of each coding; it is empty if further steps are needed, `nil` if more input
  /// is.
  func next() throws(NetworkError) -> Data? { try next(of: inflaters.count - 1) }

  private func next(of index: Int) throws(NetworkError) -> Data? {
    let inflater = inflaters[index]
    let piece = try inflater.next()
    try checkSurplus(of: inflater)
    if let piece { return piece }
    guard index > 0, let input = try next(of: index - 1) else { return nil }
    if input.isEmpty { return input }
    inflater.feed(input)
    return try inflater.next() ?? Data()
  }

  private func checkSurplus(of inflater: Inflater) throws(NetworkError) {
    let bodyByteCount = inflaters.last?.outputByteCount ?? 0
    guard inflater.inputByteCount - 2 * bodyByteCount > surplusByteLimit else { return }
    throw NetworkError(
      .responseTooLarge,
      reason: "\(inflater.inputByteCount) bytes of \(inflater.coding.rawValue) data for \(bodyByteCount) bytes of body")
  }
}

/// A decoder for one content coding, piece by piece.
///
/// libcurl could decode the body itself, but accepts a truncated body as complete and drops all but the first member of
/// a gzip body.
final class Inflater {
  /// The maximum size of a decoded piece: large enough for a delivery, yet small for data that may expand a
  /// thousandfold.
  private static let pieceByteCount = 65_536
  /// The number of members without data after which other exchanges get their turn: a member may have 20 bytes.
  private static let stepLimit = 64

  let coding: ContentCoding
  private var decoder: OpaquePointer
  /// The room for a decoded piece, which is then copied: most are smaller, and may be retained for long.
  private let output: UnsafeMutableBufferPointer<UInt8>
  private var hasInput = false
  private var isBetweenMembers = false
  private var pending = Data()
  /// Whether the last piece had no room for all of the output.
  private var isFull = false
  private var isInvalid = false
  private(set) var inputByteCount = 0
  private(set) var outputByteCount = 0
  /// The number of bytes that the earlier members have yielded; `nil` in the first one.
  private var earlierByteCount: Int?

  init(_ coding: ContentCoding) throws(NetworkError) {
    guard let decoder = cdecode_make(coding.decoderKind) else {
      throw NetworkError(.undecodableBody, reason: "out of memory while decoding the body")
    }
    self.coding = coding
    self.decoder = decoder
    output = .allocate(capacity: Inflater.pieceByteCount)
  }

  deinit {
    cdecode_free(decoder)
    output.deallocate()
  }

  var isAtEnd: Bool { !hasInput || isBetweenMembers }
  /// Whether bytes follow the last member that begin no further one, as far as is known.
  var hasTrailingData: Bool { !isAtEnd && earlierByteCount == outputByteCount }

  func feed(_ input: Data) { if pending.isEmpty { pending = input } else { pending += input } }

  var hasPendingOutput: Bool { isFull || isInvalid || !pending.isEmpty }

  /// Decodes the next piece and no more, because a few bytes may expand to gigabytes; see ``ContentDecoder/next()``.
  func next() throws(NetworkError) -> Data? {
    let byteCount = pending.count
    defer { inputByteCount += byteCount - pending.count }
    for _ in 0..<Inflater.stepLimit {
      guard hasPendingOutput else { return nil }
      if isInvalid {
        // Bytes that begin no further member.
        if hasTrailingData { throw trailingData }
        throw NetworkError(.undecodableBody, reason: "invalid \(coding.rawValue) data")
      }
      if isBetweenMembers, coding == .gzip {
        // Padding, as of files that were written in blocks; gzip ignores it, too.
        pending = pending.drop { $0 == 0 }
        if pending.isEmpty { return nil }
      }
      if let first = pending.first { try begin(first) }
      let (piece, outcome, remainingByteCount) = pending.withUnsafeBytes { decode($0) }
      pending = remainingByteCount == 0 ? Data() : pending.suffix(remainingByteCount)
      isInvalid = outcome == CDECODE_INVALID
      isBetweenMembers = outcome == CDECODE_END
      isFull = outcome == CDECODE_MORE && piece.count == Inflater.pieceByteCount
      outputByteCount += piece.count
      if !piece.isEmpty { return piece }
    }
    return hasPendingOutput ? Data() : nil
  }

  /// Selects the format at the first byte of a member.
  private func begin(_ first: UInt8) throws(NetworkError) {
    if isBetweenMembers {
      // RFC 1952 §2.2, RFC 8878 §3: gzip may have several members, and zstd several frames. The others end here.
      guard coding == .gzip || coding == .zstd, cdecode_reset(decoder) == 0 else { throw trailingData }
      isBetweenMembers = false
      earlierByteCount = outputByteCount
    } else if !hasInput, coding == .deflate, first & 0x0F != 8 {
      // Raw deflate, because the header of RFC 1950 is missing.
      guard let rawDeflate = cdecode_make(Int32(CDECODE_RAW_DEFLATE)) else {
        throw NetworkError(.undecodableBody, reason: "out of memory while decoding the body")
      }
      cdecode_free(decoder)
      decoder = rawDeflate
    }
    hasInput = true
  }

  private var trailingData: NetworkError {
    NetworkError(.undecodableBody, reason: "trailing data after the \(coding.rawValue) stream")
  }

  private func decode(_ input: UnsafeRawBufferPointer) -> (piece: Data, outcome: Int, remainingByteCount: Int) {
    guard let start = output.baseAddress else { return (Data(), Int(CDECODE_INVALID), input.count) }
    var remainingByteCount = input.count
    var freeByteCount = output.count
    let source = input.bindMemory(to: UInt8.self).baseAddress ?? UnsafePointer(start)
    let outcome = cdecode_step(decoder, source, &remainingByteCount, start, &freeByteCount)
    return (Data(bytes: start, count: output.count - freeByteCount), outcome, remainingByteCount)
  }
}

extension ContentCoding {
  fileprivate var decoderKind: Int32 {
    switch self {
    case .gzip, .deflate: Int32(CDECODE_ZLIB)
    case .brotli: Int32(CDECODE_BROTLI)
    case .zstd: Int32(CDECODE_ZSTD)
    }
  }

  /// Whether a ``CurlTransport`` decodes the coding: the machine has its library, zlib, libbrotlidec or libzstd, and a
  /// supported libcurl.
  ///
  /// A transport offers only supported codings. On macOS these are gzip and deflate.
  public var isSupported: Bool { CurlLibrary.isAvailable && cdecode_is_available(decoderKind) == 1 }
}
#endif
