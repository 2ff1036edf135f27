import Foundation

/// The state of an open part, with the files that it is written to.
///
/// Each block of 256 KiB is recorded in the journal with its checksum when it has been written, so the part survives the
/// end of the process at any moment. Data is synced in the background, against a crash of the system.
struct PartWriter: Sendable {
  /// The end of a response.
  enum Outcome {
    /// The file is at its destination.
    case finished
    /// Another request must follow at once.
    case incomplete
    /// The download was disposed meanwhile, or has asked for no range.
    case closed
  }

  /// The size of a block in bytes.
  ///
  /// When the process is killed, no more is lost than the last block and the piece that would have ended it.
  static let blockByteCount = 262_144
  /// The number of discarded parts after which no more ranges are requested: otherwise a download might never end.
  private static let discardLimit = 2
  /// The number of bytes after which data is synced.
  private static let syncByteCount = 33_554_432

  let paths: PartPaths
  let key: String
  let options: DownloadOptions
  /// Whether ranges are requested and the part is kept.
  let resumes: Bool
  let file: OpenFile
  /// `nil` as long as a part of other content is untouched, which is replaced when a response begins.
  var journal: OpenFile?
  var journalByteCount = 0
  /// `nil` if there is none, without which the part cannot be continued.
  var validator: String?
  var length: Int?
  /// The number of bytes written.
  var offset = 0
  var blockStart = 0
  var checksum = XXH64()
  var digest: SHA256?
  var unsyncedByteCount = 0
  /// The first position that the request of the latest response has asked for; `nil` if it has asked for the entire file.
  var requestedStart: Int?
  /// The maximum size of the file; `nil` for none.
  var limit: Int?
  /// Whether another request must follow at once.
  var needsContinuation = false
  /// The number of times that the part was discarded, because a response did not fit.
  var discardCount = 0

  /// The first position to ask for, with the validator; `nil` if the entire file is needed.
  var range: (start: Int, validator: String)? {
    guard offset > 0, let validator else { return nil }
    return (offset, validator)
  }

  /// Begins with the body of a response; see ``PartFile/begin(_:of:)``.
  mutating func begin(_ head: HTTPResponse, of request: HTTPRequest) throws(NetworkError) -> Bool {
    requestedStart = resumes ? request.rangeStart : nil
    let range = ContentRange(head.headers)
    if head.statusCode == 206, let start = requestedStart {
      // A disposed attempt may have written another piece after the request was built.
      guard start == offset, let validator else {
        needsContinuation = true
        return false
      }
      let fits = range.map { $0.first == start && ($0.length == length || $0.length == nil || length == nil) } ?? false
      // Only parts with the same strong validator may be combined, which a 206 has to state (RFC 9110 §15.3.7.3).
      guard fits, head.agrees(with: validator) == true, head.headers["Content-Encoding"] == nil else {
        try discard()
        return false
      }
      try setLimit(of: request, range?.length ?? length)
      return true
    }
    if head.statusCode == 206, request.headers["Range"] == nil {
      // The entire file was requested; a part is accepted only if it is all of it.
      guard let range, range.first == 0, range.last + 1 == range.length else {
        throw NetworkError(
          .invalidResponse, reason: "the server sent a part, and the entire file was requested")
      }
    }
    try reset(validator: resumes && head.statusCode == 200 ? head.strongValidator : nil, head.fileByteCount)
    try setLimit(of: request, head.fileByteCount)
    return true
  }

  /// Sets the length and the limit of the file; throws if the length exceeds it.
  private mutating func setLimit(of request: HTTPRequest, _ length: Int?) throws(NetworkError) {
    (self.length, limit) = (length, request.limits.streamedByteCount)
    if let limit, let length, length > limit { throw .fileTooLarge(limit) }
  }

  /// Removes the received bytes; the next request asks for the entire file, and must follow at once.
  private mutating func discard() throws(NetworkError) {
    discardCount += 1
    try reset(validator: nil, nil)
    needsContinuation = true
  }

  /// Removes the received bytes, and begins a new journal.
  private mutating func reset(validator: String?, _ length: Int?) throws(NetworkError) {
    guard paths.isPart(file) else { throw .cannotWrite(paths.part, ENOENT) }
    self.validator = discardCount < Self.discardLimit ? validator : nil
    self.length = length
    (offset, blockStart, unsyncedByteCount, checksum) = (0, 0, 0, XXH64())
    digest = digest.map { _ in SHA256() }
    // The part first: empty, it needs no journal.
    guard file.truncate(to: 0) else { throw .cannotWrite(paths.part, errno) }
    let journal = try paths.createJournal()
    (self.journal, journalByteCount) = (journal, 0)
    guard let validator = self.validator else { return }
    let text = Data(PartRecord(key: key, validator: validator, length: length).head.utf8)
    guard text.withUnsafeBytes({ journal.write($0, at: 0) }) else { throw .cannotWrite(paths.journal, errno) }
    journalByteCount = text.count
  }

  /// Appends bytes.
  mutating func write(_ data: Data) throws(NetworkError) {
    if let length, data.count > length - offset {
      try reset(validator: nil, nil)
      throw NetworkError(.invalidResponse, reason: "the response is longer than it declares")
    }
    if let limit, data.count > limit - offset { throw .fileTooLarge(limit) }
    guard append(data) else { throw .cannotWrite(paths.part, errno) }
    guard unsyncedByteCount >= Self.syncByteCount else { return }
    guard paths.isPart(file) else { throw .cannotWrite(paths.part, ENOENT) }
    unsyncedByteCount = 0
    sync()
  }

  /// Checks that the file is complete, and moves it to its destination unless the download was disposed meanwhile.
  mutating func finish(_ isCancelled: () -> Bool) throws(NetworkError) -> Outcome {
    // Only a 416 tells the end of a file whose length the server does not state with a part.
    let isShort = length.map { offset < $0 } ?? true
    // A server may send less than it was asked for, as long as it sends something.
    needsContinuation = isShort && requestedStart.map { offset > $0 } ?? false
    if needsContinuation { return .incomplete }
    if requestedStart != nil, length == nil {
      throw NetworkError(.connectionLost, reason: "the response ended without a byte")
    }
    if let length, length != offset {
      throw NetworkError(.connectionLost, reason: "the response ended after \(offset) of \(length) bytes")
    }
    if let digest = digest?.finalize().hexadecimal, let expected = options.sha256?.lowercased(), digest != expected {
      try reset(validator: nil, nil)
      throw NetworkError(
        .digestMismatch, reason: "the file has the SHA-256 digest \(digest), not \(expected)")
    }
    if let number = file.sync() { throw .cannotWrite(paths.part, number) }
    if isCancelled() { return .closed }
    try paths.moveToDestination(file, journal, options)
    file.unlock()
    paths.syncFolder()
    return .finished
  }

  /// Returns whether a refused range says that the part is complete; otherwise the part is discarded.
  ///
  /// - Returns: `nil` if no range was requested.
  mutating func end(after refusal: HTTPResponse, of request: HTTPRequest) throws(NetworkError) -> Bool? {
    requestedStart = resumes ? request.rangeStart : nil
    guard requestedStart != nil else { return nil }
    let size = refusal.refusedLength
    let isUnchanged = validator.map { refusal.agrees(with: $0) != false } ?? false
    if isUnchanged, requestedStart == offset, size == offset, length ?? offset == size {
      length = size
      return true
    }
    try discard()
    return false
  }
}

extension HTTPRequest {
  /// The first position of a range without an end.
  fileprivate var rangeStart: Int? {
    guard let range = headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
    return Int(range.dropFirst(6).dropLast())
  }
}
