import Foundation
import Signals

/// The writer of a part file: opens, verifies and extends it, and moves it to its destination.
///
/// Confined to the serial queue of the destination; only ``range`` may be read on any thread.
final class PartWriter: Sendable {
  enum Outcome {
    /// The file is at its destination.
    case finished
    /// Another request must follow immediately.
    case incomplete
    /// The download was disposed.
    case closed
  }

  private enum Phase {
    case opening
    /// The file is open and locked; other content in it remains until a response begins.
    case empty(OpenFile)
    /// The file is open, with content of this download.
    case partial(PartContent)
    /// The file is at its destination.
    case complete
    case closed
  }

  /// The number of discarded parts after which no more ranges are requested: otherwise a download might never end.
  private static let discardLimit = 2
  private static let syncByteCount = 33_554_432

  private let options: DownloadOptions
  private let resumableRange = Guarded<(start: Int, validator: String)?>(nil)
  // Used on the queue of the destination only.
  nonisolated(unsafe) private(set) var paths: PartPaths
  // Used on the queue of the destination only.
  nonisolated(unsafe) private var phase = Phase.opening {
    didSet {
      var range: (start: Int, validator: String)?
      if case .partial(let part) = phase { range = part.range }
      resumableRange.withLock { [range] in $0 = range }
    }
  }
  // The checksum of the content's identity; set on the queue when the part is opened.
  nonisolated(unsafe) private var key = ""
  // Whether ranges are requested and the part file is kept for later downloads; set on the queue when the part is
  // opened.
  nonisolated(unsafe) private var resumes = false
  // The number of parts discarded because of a response; used on the queue only.
  nonisolated(unsafe) private var discardCount = 0
  // Whether the last response did not continue the part; used on the queue only.
  nonisolated(unsafe) private var hasMissed = false
  // The size that the part had when it last counted as grown; used on the queue only.
  nonisolated(unsafe) private var grownSize = 0
  // Whether the part is the one that was found; used on the queue only.
  nonisolated(unsafe) private var isOfEarlierDownload = false

  init(_ destination: URL, _ options: DownloadOptions) {
    paths = PartPaths(destination)
    self.options = options
  }

  /// The first position to request, with the validator; `nil` if the entire file is needed.
  var range: (start: Int, validator: String)? { resumableRange.withLock { $0 } }

  // MARK: Opening

  /// Opens, locks and verifies the part, or creates it.
  ///
  /// `key` is the checksum of the content's identity; a part with another one is not resumed. `resumes` also keeps the
  /// part for later downloads. `isCancelled` stops the verification, which reads the whole part.
  func open(key: String, resumes: Bool, _ isCancelled: () -> Bool) throws(NetworkError) {
    guard case .opening = phase else { return }
    (self.key, self.resumes) = (key, resumes)
    let file = try paths.openPart(options)
    phase = .empty(file)
    do throws(NetworkError) {
      try resume(file, isCancelled)
    } catch {
      close()
      throw error
    }
  }

  /// Resumes the part if its content belongs to this download; otherwise it is unchanged until a response begins.
  private func resume(_ file: OpenFile, _ isCancelled: () -> Bool) throws(NetworkError) {
    let isEmpty = file.status?.byteCount == 0
    guard let journal = try paths.openJournal() else {
      // The file belongs to another program.
      if !isEmpty { throw .cannotCreate(paths.part, EEXIST) }
      return
    }
    if isEmpty { return paths.removeJournal(journal) }
    guard resumes, let record = try paths.record(in: journal), record.key == key,
      let part = PartContent(file, journal, verifiedBy: record, digest: emptyDigest, isCancelled)
    else { return }
    try part.truncateJournal(paths)
    (grownSize, isOfEarlierDownload) = (part.offset, true)
    phase = .partial(part)
  }

  /// The digest of no bytes; `nil` if none is expected.
  private var emptyDigest: SHA256? { options.sha256.map { _ in SHA256() } }

  // MARK: Responses

  /// Prepares for the body of a response; returns `false` if it does not fit the part, so that a request must follow.
  func begin(_ head: HTTPResponse, of request: HTTPRequest) throws(NetworkError) -> Bool {
    let range = ContentRange(head.headers)
    var length = head.fileByteCount
    if head.statusCode == 206, let start = requestedStart(of: request) {
      guard case .partial(var part) = phase, start == part.offset, let validator = part.validator else {
        // A disposed attempt may have written another piece after the request was built, but not each time.
        if hasMissed { throw Self.changedRange }
        hasMissed = true
        return false
      }
      let isSameLength = range?.length == nil || part.length == nil || range?.length == part.length
      // Only ranges with the same strong validator may be combined (RFC 9110 §15.3.7.3). A 206 must repeat an entity
      // tag, but not a date (§15.3.7), which the server has compared with `If-Range`.
      let isDate = !validator.hasPrefix("\"")
      let isSame = head.agrees(with: validator) ?? (isDate && range?.length != nil && range?.length == part.length)
      guard range?.first == start, isSameLength, isSame, head.fileCodings == part.codings else {
        _ = consume part
        try discard()
        return false
      }
      length = range?.length ?? part.length
      part.length = length
      part.isContinued = true
      phase = .partial(part)
    } else if head.statusCode != 206, head.headers.contains("Content-Range"), requestedStart(of: request) != nil {
      // Some servers answer a range with the slice and the status of the whole file.
      if hasMissed { throw Self.changedRange }
      hasMissed = true
      try discard()
      return false
    } else {
      // The entire file was requested; a range is accepted only if it covers the whole file.
      if head.statusCode == 206, request.headers["Range"] == nil {
        guard let range, range.first == 0, range.last + 1 == range.length else {
          throw NetworkError(.invalidResponse, reason: "unexpected 206 Partial Content")
        }
      }
      let validator = resumes && head.statusCode == 200 ? head.strongValidator : nil
      try reset(validator: validator, length, codings: head.fileCodings)
    }
    hasMissed = false
    if let limit = request.limits.streamedByteCount, let length, length > limit { throw .fileTooLarge(limit) }
    return true
  }

  private static var changedRange: NetworkError {
    NetworkError(.invalidHeader, reason: "a filter or middleware has changed the download's field Range")
  }

  func write(_ data: Data, of request: HTTPRequest) throws(NetworkError) {
    guard case .partial(var part) = phase else { return }
    if let length = part.length, data.count > length - part.offset {
      _ = consume part
      try reset(validator: nil, nil)
      throw NetworkError(.invalidResponse, reason: "response body longer than declared")
    }
    if let limit = request.limits.streamedByteCount, data.count > limit - part.offset { throw .fileTooLarge(limit) }
    guard part.append(data) else { throw .cannotWrite(paths.part, errno) }
    let needsSync = part.unsyncedByteCount >= Self.syncByteCount
    if needsSync { part.sync() }
    phase = .partial(part)
    if needsSync, !part.file.isAt(paths.part.path) { throw .cannotWrite(paths.part, ENOENT) }
  }

  /// Records the last block as written so far, and returns whether the part has grown by a block, and can be resumed.
  func pause() -> Bool {
    guard case .partial(var part) = phase else { return false }
    part.endBlock()
    phase = .partial(part)
    guard part.range != nil, part.offset - grownSize >= PartContent.blockByteCount else { return false }
    grownSize = part.offset
    return true
  }

  /// Checks that the file is complete, and moves it to its destination unless the download was cancelled.
  func finish(_ request: HTTPRequest, _ isCancelled: () -> Bool) throws(NetworkError) -> Outcome {
    guard case .partial(let part) = phase else { return .closed }
    // A server may ignore the range; the end of an entire file is that of its response.
    let (start, offset) = (part.isContinued ? requestedStart(of: request) : nil, part.offset)
    // If the length is unknown, only a 416 confirms the end of the file. A server may send fewer bytes than
    // requested, but at least one.
    if let start, offset > start, part.length.map({ offset < $0 }) ?? true { return .incomplete }
    if start != nil, part.length == nil {
      throw NetworkError(.connectionLost, reason: "response body truncated: no bytes received")
    }
    if let length = part.length, length != offset {
      throw NetworkError(.connectionLost, reason: "response body truncated: \(offset) of \(length) bytes received")
    }
    if let expected = options.sha256?.lowercased(), let digest = part.digest?.finalize().hexadecimal,
      digest != expected
    {
      _ = consume part
      try reset(validator: nil, nil)
      throw NetworkError(.digestMismatch, reason: "SHA-256 digest mismatch: expected \(expected), got \(digest)")
    }
    guard part.file.truncate(to: offset) else { throw .cannotWrite(paths.part, errno) }
    if let errorNumber = part.file.sync() { throw .cannotWrite(paths.part, errorNumber) }
    if isCancelled() { return .closed }
    try paths.moveToDestination(part.file, part.journal, options)
    phase = .complete
    part.file.unlock()
    paths.syncFolder()
    return .finished
  }

  /// Moves the file to its destination if a 416 confirms that it is complete (RFC 9110 §15.5.17).
  ///
  /// A server evaluates `If-Range` before `Range`, so the content has not changed. Otherwise the part is discarded.
  func finish(
    _ request: HTTPRequest, refused head: HTTPResponse, _ isCancelled: () -> Bool
  ) throws(NetworkError) -> Outcome? {
    guard let start = requestedStart(of: request) else { return nil }
    if case .partial(var part) = phase, let validator = part.validator, head.agrees(with: validator) != false,
      start == part.offset, head.refusedLength == start, part.length ?? start == start
    {
      part.length = start
      phase = .partial(consume part)
      return try finish(request, isCancelled)
    }
    try discard()
    return .incomplete
  }

  /// Returns the first position of the range that a request asks for; `nil` if it asks for the entire file.
  private func requestedStart(of request: HTTPRequest) -> Int? {
    // A range without a validator is not the download's, but of the client's or a service's header fields.
    resumes && request.headers["If-Range"] != nil ? request.rangeStart : nil
  }

  // MARK: Discarding and closing

  /// Removes the received bytes, so that the next request is for the entire file.
  private func discard() throws(NetworkError) {
    discardCount += 1
    try reset(validator: nil, nil)
  }

  /// Removes the received bytes, and begins a new journal; no caller may hold the part, which would remain open.
  private func reset(validator: String?, _ length: Int?, codings: String? = nil) throws(NetworkError) {
    switch phase {
    case .empty(let file): try paths.removeReplaced(file)
    case .partial(let part): try paths.removeReplaced(part.file)
    // A replacement has failed.
    case .opening: throw .cannotWrite(paths.part, ENOENT)
    case .complete, .closed: return
    }
    // Once: a server that ignores ranges would be asked without end.
    if isOfEarlierDownload { (grownSize, isOfEarlierDownload) = (0, false) }
    // The part is replaced before its journal, because only an empty part may be without one. Both are closed first,
    // because over SMB the name of an open file cannot be used again.
    phase = .opening
    let file = try paths.replacement()
    phase = .empty(file)
    let isResumable = discardCount < Self.discardLimit
    var part = PartContent(
      file, try paths.createJournal(), validator: isResumable ? validator : nil, length: length,
      codings: codings ?? "", digest: emptyDigest)
    let isWritten = part.begin(key: key)
    let errorNumber = errno
    phase = .partial(part)
    if !isWritten { throw .cannotWrite(paths.journal, errorNumber) }
  }

  /// Closes the part, so that another download may open it; it remains if it can be resumed.
  ///
  /// Further calls have no effect.
  func close() {
    defer { phase = .closed }
    switch phase {
    case .opening, .complete, .closed: return
    case .empty(let file):
      if file.status?.byteCount == 0 { paths.remove(file, nil) }
      file.unlock()
    case .partial(var part):
      part.endBlock()
      // Removed before it is unlocked, because afterwards it may belong to another download.
      if part.range == nil || !part.file.isAt(paths.part.path) || !part.journal.isAt(paths.journal.path) {
        paths.remove(part.file, part.journal)
      }
      part.file.unlock()
      part.sync()
    }
  }
}

extension HTTPRequest {
  /// The first position of a range without an end.
  fileprivate var rangeStart: Int? {
    guard let range = headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
    return Int(range.dropFirst(6).dropLast())
  }
}
