#if HELIOGRAPH_CURL
import CCurl
import Foundation
import Signals

/// An exchange while libcurl works on it; it belongs to the loop's thread.
///
/// An error found in a callback is stored as `callbackError`, because libcurl stops with an error of its own.
final class CurlTransfer {
  let exchange: CurlExchange
  let handle: CurlHandle
  /// The index among the active transfers.
  var index: Int

  /// Whether its connection may use HTTP/2.
  var isMultiplexing = false

  /// The maximum size of a TLS record: 16 KiB.
  static let recordByteCount = 16_384
  /// The size of the beginning of a body that is sent in pieces of one TLS record: 1 MiB.
  private static let smallPieceByteLimit = 1_048_576
  /// The number of pieces that are decoded in a row: up to 4 MiB, because a few bytes may expand to gigabytes.
  private static let pieceLimit = 64

  let loop: CurlLoop
  private let startedAt: SuspendingClock.Instant
  /// The instant from which libcurl's measurements count: that of the start, or of the last resend.
  var measuredSince: SuspendingClock.Instant
  /// The instant of libcurl's last resend; `nil` if there was none.
  var resentAt: SuspendingClock.Instant?
  // Written for each line and each piece, on the loop's thread only.
  @exclusivity(unchecked) var lastActivityAt: SuspendingClock.Instant
  /// The instant of the last header line or piece of a body; `nil` before the first.
  @exclusivity(unchecked) private(set) var lastReceivedAt: SuspendingClock.Instant?
  var decoder: ContentDecoder?
  var upload: PieceReader?
  var callbackError: NetworkError?
  var bodyByteCount = 0
  var flow: CurlFlow
  var attempts: CurlAttempts
  var isFinished = false
  /// Whether the identity of the request has changed before an attempt, so that nothing is sent or delivered.
  var isDropped = false
  /// Whether libcurl delivers what it has held back during a pause.
  private var isResuming = false
  var endpoints = CurlEndpoints()
  /// libcurl's number for the last attempt's connection.
  var connection: Int64 = -1
  /// The number of connections that libcurl has made for the request.
  var connectCount: Int64 = 0
  /// The number of sockets that had been created for the request when the last attempt began.
  var socketCount = 0
  /// Whether the first attempt was sent on a keep-alive connection over HTTP/1, which may have been closed before.
  var isOnKeptHTTP1 = false
  /// The bytes of the body that were sent on a keep-alive connection that has closed, if they are not sent again.
  var lostByteCount: Int?

  init(_ exchange: CurlExchange, _ handle: CurlHandle, _ loop: CurlLoop, index: Int) {
    self.exchange = exchange
    self.handle = handle
    self.loop = loop
    self.index = index
    // An exchange that was submitted during this iteration started after the iteration's time.
    startedAt = max(loop.now, exchange.subscribedAt)
    measuredSince = startedAt
    lastActivityAt = startedAt
    flow = CurlFlow(startedAt)
    attempts = CurlAttempts(
      isIdempotent: exchange.request.isIdempotent, isSentOnce: exchange.request.context.isSentOnce)
  }

  var request: HTTPRequest { exchange.request }
  var observer: Observer<TransportEvent, NetworkError> { exchange.observer }

  /// Prepares the handle for the request, which is sent on a new connection if it avoids reuse.
  func prepare(avoidsReuse: Bool) throws(NetworkError) {
    handle.transfer = .passUnretained(self)
    let request = exchange.request
    handle.head.begin(limit: request.limits.headerByteCount)
    try handle.apply(request, &loop.addresses)
    if let stream = exchange.stream {
      // This thread does all input and output of a transport, so files are read on another one.
      upload = PieceReader(stream, files: FileScheduler()) { [loop, exchange] in loop.submit(.resumeSending(exchange)) }
      handle.set(CCURL_OPT_INFILESIZE_LARGE, byteCount: stream.byteCount ?? -1)
      // The socket of a keep-alive connection over a Unix domain socket is unknown, and must be checked.
      if handle.resolved.settings.unixSocketPath != nil { handle.useNewConnection() }
    }
    if avoidsReuse { handle.useNewConnection() }
    isMultiplexing = handle.resolved.speaksHTTP2 && handle.isSecure
    // See `CurlQuirks`.
    if isMultiplexing, upload != nil { handle.isUsedUp = true }
  }

  func close() {
    handle.transfer = nil
    // See `CurlQuirks`.
    if !flow.isRunning { handle.isUsedUp = true }
    // It no longer lets libcurl reuse connections.
    if handle.excess.pointee != 0 { handle.isUsedUp = true }
    upload?.close()
    if isMultiplexing { recordEnd() }
    exchange.transfer = nil
  }

  // MARK: Callbacks

  /// Adds a line to the head, and delivers the head with its last line; returns whether libcurl goes on.
  func receive(line: UnsafeRawBufferPointer) -> Bool {
    (lastActivityAt, lastReceivedAt) = (loop.now, loop.now)
    do throws(NetworkError) {
      guard try handle.head.add(line) else { return true }
    } catch {
      callbackError = error.attaching(request)
      return false
    }
    return runCallback { () throws(NetworkError) in
      if isMultiplexing { endWait() }
      if !usesHTTP2 { handle.watchesExcess = true }
      // An error response has ended the upload, but libcurl 7.88 does not end a transfer that is paused.
      if flow.sending == .paused { loop.submit(.resumeSending(exchange)) }
      var head = HTTPResponse(statusCode: handle.head.statusCode, headers: handle.head.headers, url: request.url)
      head.keepsContentCodings = handle.head.contentCoding != nil && !decodesBody
      observer.send(.head(head))
    }
  }

  /// Returns libcurl's number of bytes, or its number for an error or a pause.
  func receive(body: UnsafeRawBufferPointer) -> Int {
    (lastActivityAt, lastReceivedAt) = (loop.now, loop.now)
    if flow.receiving != .running, claimHold(body.count) { return CCURL_WRITE_PAUSE }
    let isFirst = bodyByteCount == 0
    bodyByteCount += body.count
    // Excess data that was read together is already in the log, and later data is not read.
    if CurlQuirks.logsExcessBeforeBodies, bodyByteCount == handle.head.bodyByteCount { handle.watchesExcess = false }
    let isReceived = runCallback { () throws(NetworkError) in
      guard handle.head.isComplete else {
        throw NetworkError(.invalidResponse, reason: "body data received before the header")
      }
      if isFirst, let codings = handle.head.contentCoding, decodesBody {
        decoder = try ContentDecoder(codings, handle.resolved.codings)
      }
      if let decoder {
        decoder.feed(Data(body))
        try deliver(decoder)
      } else {
        observer.send(.body(Data(body)))
        pauseAboveHighWaterMark()
      }
    }
    return isReceived ? body.count : CCURL_WRITE_ERROR
  }

  /// Fills a buffer with the next bytes of the request's body.
  func supplyBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    lastActivityAt = loop.now
    guard let upload else { return 0 }
    if claimReading() {
      flow.pauseSending()
      loop.submit(.resumeSending(exchange))
      return Int(CCURL_READ_PAUSE)
    }
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    do throws(NetworkError) {
      // Sent in small pieces at first, so that an early response is detected between them.
      let isSmall = upload.offset < CurlTransfer.smallPieceByteLimit
      let pieceByteCount = isSmall ? CurlTransfer.recordByteCount : buffer.count
      let destination = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(pieceByteCount))
      if let count = try upload.read(into: destination) {
        if count > 0 { observer.send(.sent(byteCount: upload.offset)) }
        return count
      }
      // libcurl does not report that the connection is closed during the pause.
      loop.scheduleCheck(flow.pauseSending())
      return Int(CCURL_READ_PAUSE)
    } catch {
      callbackError = error.attaching(request)
      // libcurl before 8.15 would reset the HTTP/2 stream only when it uses the connection again (curl/curl#17611).
      if isMultiplexing { handle.forbidsReuse = true }
      return Int(CCURL_READ_ABORT)
    }
  }

  /// Whether codings were offered, so that a coded body is decoded.
  private var decodesBody: Bool { request.headers.offersCodings && !handle.resolved.codings.isEmpty }

  private func runCallback(_ work: () throws(NetworkError) -> Void) -> Bool {
    if observer.isDisposed { return false }
    // The subscriber's code may take a long time or exit the process.
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    do throws(NetworkError) {
      try work()
      return !observer.isDisposed
    } catch {
      callbackError = error.attaching(request)
      return false
    }
  }

  // MARK: Pausing

  var isPausedOverHTTP2: Bool { flow.receiving == .paused && usesHTTP2 }

  /// Counts a piece that arrives during a pause; returns whether libcurl has to hold it back.
  ///
  /// Over HTTP/2 libcurl passes on the data of a paused stream whenever another exchange reads from its connection, and
  /// lets the server send more. Only a piece that is left to libcurl closes the stream's window of 10 MiB; libcurl
  /// holds what the server still sends. Each resume opens the window again, whatever libcurl holds: therefore a resume
  /// takes all of it, even if the consumer is above the high-water mark again, or libcurl's buffer would grow without
  /// limit.
  private func claimHold(_ byteCount: Int) -> Bool {
    usesHTTP2 && !isResuming && !flow.claimPauseAllowance(byteCount)
  }

  /// Pauses receiving while the consumer is above the high-water mark.
  private func pauseAboveHighWaterMark() {
    guard let pressure = observer.pressure, pressure.isHigh, flow.pauseReceiving() else { return }
    applyPauses()
    pressure.whenLow { [loop, exchange] in loop.submit(.resumeReceiving(exchange)) }
  }

  /// Delivers decoded data until the consumer is above the high-water mark, or it is the turn of other exchanges.
  private func deliver(_ decoder: ContentDecoder) throws(NetworkError) {
    var count = 0
    while flow.receiving == .running, !observer.isDisposed, let piece = try decoder.next() {
      // Data in one coding may decode to nothing in the next one.
      if !piece.isEmpty {
        observer.send(.body(piece))
        pauseAboveHighWaterMark()
      }
      count += 1
      if count == CurlTransfer.pieceLimit, flow.pauseReceiving() {
        applyPauses()
        loop.submit(.resumeReceiving(exchange))
      }
    }
  }

  /// Resumes receiving after a pause, beginning with the data that had already arrived; returns libcurl's result if it
  /// was held back and everything is delivered now.
  func resumeReceiving() -> Int? {
    let former = flow.resumeReceiving()
    if former == .running { return nil }
    lastActivityAt = loop.now
    if let decoder, decoder.hasPendingOutput {
      guard runCallback({ () throws(NetworkError) in try deliver(decoder) }) else { return nil }
      if flow.receiving != .running {
        if case .held(let result) = former { _ = flow.hold(result) }
        return nil
      }
    }
    if case .held(let result) = former { return result }
    flow.renewPauseAllowance()
    isResuming = true
    defer { isResuming = false }
    applyPauses()
    return nil
  }

  func resumeSending() {
    guard flow.resumeSending() else { return }
    lastActivityAt = loop.now
    applyPauses()
  }

  /// Applies the pauses of both directions to libcurl in one call.
  func applyPauses() {
    if isFinished { return }
    let receiving = flow.receiving == .running ? 0 : CCURL_PAUSE_RECEIVING
    let sending = flow.sending == .running ? 0 : CCURL_PAUSE_SENDING
    ccurl_pause(handle.easy, receiving | sending)
  }

  // MARK: Timeout and metrics

  /// The instant of the next check; `nil` while the consumer is awaited.
  var expiry: SuspendingClock.Instant? { flow.expiry(idleTimeoutAt: lastActivityAt + request.idleTimeout) }

  var metrics: Metrics {
    let bodyByteCount = if let upload { upload.byteCountAtEnd } else { request.body.byteCount }
    func offset(_ instant: SuspendingClock.Instant) -> Duration { instant - exchange.subscribedAt }
    var metrics = Metrics(
      handle.easy, isSecure: handle.isSecure, startedAt: offset(startedAt), measuredSince: offset(measuredSince),
      endedAt: offset(.now), resendCount: attempts.resendCount, bodyByteCount: bodyByteCount, isUpload: upload != nil)
    metrics.bodyEndedAt = upload?.endedAt.map(offset)
    if let lostByteCount { metrics.restore(lostByteCount, of: bodyByteCount ?? request.body.byteCount) }
    if let resentAt { metrics.postpone(to: offset(resentAt)) }
    if isReconnecting { metrics.removeConnection() }
    return metrics
  }
}
#endif
