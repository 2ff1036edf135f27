import Signals

/// A counter of the bytes transferred for one subscription.
final class TransferGauge: Sendable {
  private struct State {
    var sending: TransferCount
    var receiving: TransferCount
    /// The size of the representation in a 416, which may show that a download is complete.
    var refusedLength: Int?
    /// The source of the next head.
    var source = ResponseSource.network
  }

  private let state: Guarded<State>
  private let clock: any SignalScheduler
  private let report: @Sendable (TransferProgress) -> Void

  init(
    _ request: any RequestConvertible, clock: any SignalScheduler,
    _ report: @escaping @Sendable (TransferProgress) -> Void
  ) {
    // An invalid request fails when it is sent.
    let options = (try? request.asRequest())?.options ?? RequestOptions()
    let interval = options.progressInterval
    state = Guarded(
      State(sending: TransferCount(.sending, every: interval), receiving: TransferCount(.receiving, every: interval)))
    self.clock = clock
    self.report = report
  }

  func record(_ event: TransportEvent, of request: HTTPRequest) {
    switch event {
    case .sent(let byteCount): send(byteCount, of: request)
    case .received(let byteCount, let total): receive(byteCount, total, of: request)
    case .head(let head): begin(head, of: request)
    case .body(let data): report { state, now in state.receiving.add(data.count, now) }
    case .source(let source): state.withLock { $0.source = source }
    case .metrics: break
    }
  }

  /// Reports the end of both bodies, after which the totals are known.
  func finish() {
    report { state, now in
      guard state.sending.isStarted else { return nil }
      defer { state.sending.stop() }
      // The server may not have read a body of known length to its end.
      return state.sending.total == nil ? state.sending.finish(now) : state.sending.flush(now)
    }
    report { state, now in
      if let length = state.refusedLength { state.receiving.start(at: length, of: length, now) }
      return state.receiving.isStarted ? state.receiving.finish(now) : nil
    }
  }

  /// Reports the last counts of a transfer that fails.
  func fail() {
    report { state, now in state.sending.isStarted ? state.sending.flush(now) : nil }
    report { state, now in state.receiving.isStarted ? state.receiving.flush(now) : nil }
  }

  private func send(_ byteCount: Int, of request: HTTPRequest) {
    let isFirst = state.withLock { !$0.sending.isStarted || byteCount < $0.sending.byteCount }
    // Once per attempt, because the size of a file comes from the file system; some of it has just been read.
    let total = isFirst ? request.body.byteCount : nil
    report { state, now in
      if isFirst { state.sending.start(at: byteCount, of: total, now) }
      return state.sending.advance(to: byteCount, now)
    }
  }

  /// Counts received bytes of a body that is delivered later, including those before a requested range.
  private func receive(_ byteCount: Int, _ total: Int?, of request: HTTPRequest) {
    var offset = 0
    if case .from(let first)? = request.headers["Range"].flatMap({ ByteRange($0) }) { offset = first }
    let (count, end) = (byteCount.adding(offset), total?.adding(offset))
    report { state, now in
      if !state.receiving.isStarted || count < state.receiving.byteCount {
        state.receiving.start(at: count, of: end, now)
      }
      return state.receiving.advance(to: count, now)
    }
  }

  /// Reports the count of the request's body, and starts that of the response's.
  ///
  /// After a 2xx the upload may continue, so the total of a stream of unknown length is known only with the result. The
  /// body of a stored response is not received, and with a response from the cache no body is sent.
  private func begin(_ head: HTTPResponse, of request: HTTPRequest) {
    // Not needed while sending, because the size of a file comes from the file system.
    let total = state.withLock { $0.sending.isStarted } ? nil : request.body.byteCount
    var source = ResponseSource.network
    report { state, now in
      swap(&source, &state.source)
      // An error response may arrive before the whole body has been sent.
      let isSent = head.isSuccessful && !source.isCached
      if !isSent { state.sending.stop() }
      if state.sending.isStarted || !isSent { return state.sending.flush(now) }
      // A body without earlier reports was sent in one piece.
      guard let total else { return nil }
      state.sending.start(at: total, of: total, now)
      return state.sending.advance(to: total, now)
    }
    report { state, now in
      state.refusedLength = head.statusCode == 416 ? head.refusedLength : nil
      if head.isSuccessful, !source.isCached, source != .revalidated {
        let extent = head.extent(of: request)
        state.receiving.start(at: extent.offset, of: extent.total, now)
      } else {
        state.receiving.stop()
      }
      return nil
    }
  }

  private func report(_ update: (inout State, Duration) -> TransferProgress?) {
    let now = clock.now
    if let progress = state.withLock({ update(&$0, now) }) { report(progress) }
  }
}

extension Int {
  /// The sum, clamped to the maximum: a server may declare any length.
  func adding(_ other: Int) -> Int {
    let (sum, isOverflow) = addingReportingOverflow(other)
    return isOverflow ? .max : sum
  }
}

extension HTTPResponse {
  /// Whether the body is the requested content, not that of an error or a redirect.
  fileprivate var isSuccessful: Bool { (200..<300).contains(statusCode) }

  /// The size of the representation in the `Content-Range` of a 416 (RFC 9110 §14.4).
  var refusedLength: Int? {
    headers["Content-Range"].flatMap { Int(Substring($0.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst())) }
  }

  /// Returns the number of bytes before the body, and the count at its end if the response declares it.
  ///
  /// The bytes before a range count if the rest of the representation was requested, as by a resumed download. Even if
  /// the server sends less, the total is the size of the representation.
  fileprivate func extent(of request: HTTPRequest) -> (offset: Int, total: Int?) {
    guard fileCodings != nil else { return (0, nil) }
    if statusCode == 206, let range = ContentRange(headers) {
      let isSuffix = (range.length ?? range.last + 1) == range.last + 1
      let requestedRange = request.headers["Range"].flatMap { ByteRange($0) }
      if isSuffix || requestedRange == .from(range.first) { return (range.first, range.length) }
    }
    return (0, fileByteCount)
  }
}
