#if HELIOGRAPH_CURL
import CCurl
import Foundation
import Signals

/// An exchange while libcurl works on it; it belongs to the loop's thread.
///
/// An error that its callbacks find is kept as `refusal`: libcurl is told to stop, and then reports an error of its
/// own.
final class CurlTransfer {
  let exchange: CurlExchange
  let handle: CurlHandle
  /// The index among the active transfers.
  var index: Int

  /// Whether its connection may use HTTP/2.
  var isMultiplexing = false

  /// The maximum size of a TLS record: 16 KiB.
  static let recordByteCount = 16_384
  /// The part of a body that is sent in pieces of that size, however large the buffer: the first 1 MiB.
  private static let cautiousByteCount = 1_048_576

  let loop: CurlLoop
  private let startedAt: SuspendingClock.Instant
  // Written for each line and each piece, on the loop's thread only.
  @exclusivity(unchecked) var lastActivityAt: SuspendingClock.Instant
  var decoder: ContentDecoder?
  var upload: UploadReader?
  var refusal: NetworkError?
  var bodyByteCount = 0
  /// Each direction pauses separately: for the consumer, and for the source of the body.
  var isReceivingPaused = false
  var isSendingPaused = false
  var attemptCount = 0
  var resendCount = 0
  var isStale = false
  /// Whether its kept connection had something to read before anything was sent.
  var isUnclean = false
  /// Whether it has a connection of its own, so that a stale connection cannot be the cause of a failure.
  var isFresh = false
  /// Whether libcurl has finished the transfer.
  var isDone = false
  /// The result of libcurl, while the end waits for the consumer.
  var heldResult: Int?
  /// The state of the connection while the body's source is waited for.
  var uploadWatch: UploadWatch
  /// Whether sending was deferred for reading, once for each piece of the body.
  var hasReadFirst = false
  /// The local port of the last attempt's connection.
  var localPort: Int32 = 0
  /// libcurl's number for the last attempt's connection.
  var connection: Int64 = -1
  /// Whether the last attempt's connection was made for it.
  var isOnNewConnection = false
  /// The number of connections that libcurl has made for the request.
  var connectCount: Int64 = 0

  init(_ exchange: CurlExchange, _ handle: CurlHandle, _ loop: CurlLoop, index: Int) {
    self.exchange = exchange
    self.handle = handle
    self.loop = loop
    self.index = index
    // The time of the iteration may be earlier than the subscription to an exchange that was submitted during it.
    startedAt = max(loop.now, exchange.subscribedAt)
    lastActivityAt = startedAt
    uploadWatch = UploadWatch(startedAt)
  }

  var request: HTTPRequest { exchange.request }
  var observer: Observer<TransportEvent, NetworkError> { exchange.observer }

  /// Prepares the handle for the request.
  func prepare() throws(NetworkError) {
    handle.transfer = .passUnretained(self)
    let request = exchange.request
    handle.head.begin(limit: request.limits.headerByteCount)
    try handle.apply(request, &loop.addresses)
    if handle.needsReader(request.body) {
      let reader = try UploadReader(request) { [loop, exchange] in loop.submit(.resumeSending(exchange)) }
      // The length that the reader checks: that of a file may change at any time.
      if let reader { handle.set(CCURL_OPT_INFILESIZE_LARGE, byteCount: reader.byteCount ?? -1) }
      upload = reader
    }
    isMultiplexing = handle.resolved.speaksHTTP2 && handle.isSecure
    // See `CurlQuirks`.
    if isMultiplexing, upload != nil { handle.isUsedUp = true }
  }

  /// Releases the handle.
  func close() {
    handle.transfer = nil
    upload?.close()
    if isMultiplexing { loop.connections.endWait(of: self) }
    exchange.transfer = nil
  }

  // MARK: Callbacks

  /// Receives a line of a head.
  func receive(line: UnsafeRawBufferPointer) -> Bool {
    lastActivityAt = loop.now
    do throws(NetworkError) {
      return try handle.head.add(line) ? receiveHead() : true
    } catch {
      refusal = error.attaching(request)
      return false
    }
  }

  private func receiveHead() -> Bool {
    unlessRefused { () throws(NetworkError) in
      if isMultiplexing { noteConnection() } else { handle.watchesExcess = true }
      // An error response has ended the upload, but libcurl 7.88 does not end a transfer that is paused.
      if isSendingPaused { loop.submit(.resumeSending(exchange)) }
      observer.send(
        .head(HTTPResponse(statusCode: handle.head.statusCode, headers: handle.head.headers, url: request.url)))
    }
  }

  /// Receives a piece of a body.
  func receive(body: UnsafeRawBufferPointer) -> Bool {
    lastActivityAt = loop.now
    let isFirst = bodyByteCount == 0
    bodyByteCount += body.count
    // Excess data of the same read is already in the log, and data of a later one is not read.
    if CurlQuirks.logsExcessBeforeBodies, bodyByteCount == handle.head.bodyByteCount { handle.watchesExcess = false }
    return unlessRefused { () throws(NetworkError) in
      guard handle.head.isComplete else {
        throw NetworkError(.invalidResponse, reason: "a body came before its head")
      }
      if isFirst, let codings = handle.head.contentCoding, request.offersCodings {
        decoder = try ContentDecoder(codings, handle.resolved.codings)
      }
      if let decoder {
        decoder.feed(Data(body))
        try deliver(decoder)
      } else {
        observer.send(.body(Data(body)))
      }
      pauseIfAhead()
    }
  }

  /// Fills a buffer with the next bytes of the request's body.
  func give(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    lastActivityAt = loop.now
    guard let upload else { return 0 }
    if mustReadFirst {
      isSendingPaused = true
      loop.submit(.resumeSending(exchange))
      return Int(CCURL_READ_PAUSE)
    }
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    do throws(NetworkError) {
      // In small pieces at first: in between, a response that has arrived is noticed.
      let isSmall = upload.offset < CurlTransfer.cautiousByteCount
      let room = isSmall ? UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(CurlTransfer.recordByteCount)) : buffer
      if let count = try upload.read(into: room) {
        if count > 0 { observer.send(.sent(byteCount: upload.offset)) }
        return count
      }
      isSendingPaused = true
      // libcurl does not report a connection that is closed meanwhile.
      loop.watch(uploadWatch.nextLook)
      return Int(CCURL_READ_PAUSE)
    } catch {
      refusal = error.attaching(request)
      return Int(CCURL_READ_ABORT)
    }
  }

  private func unlessRefused(_ work: () throws(NetworkError) -> Void) -> Bool {
    if observer.isDisposed { return false }
    // The subscriber's code may take long, or exit the process.
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    do throws(NetworkError) {
      try work()
      return !observer.isDisposed
    } catch {
      refusal = error.attaching(request)
      return false
    }
  }

  // MARK: Pausing

  /// Pauses receiving while the consumer is above the high-water mark.
  private func pauseIfAhead() {
    guard !isReceivingPaused, let pressure = observer.pressure, pressure.isHigh else { return }
    isReceivingPaused = true
    applyPauses()
    pressure.whenLow { [loop, exchange] in loop.submit(.resumeReceiving(exchange)) }
  }

  /// Delivers decoded data until the consumer is above the high-water mark.
  private func deliver(_ decoder: ContentDecoder) throws(NetworkError) {
    while !isReceivingPaused, !observer.isDisposed, let piece = try decoder.next() {
      observer.send(.body(piece))
      pauseIfAhead()
    }
  }

  /// Resumes receiving after a pause, beginning with the data that had already arrived.
  func resumeReceiving() {
    guard isReceivingPaused else { return }
    isReceivingPaused = false
    lastActivityAt = loop.now
    if let decoder, decoder.hasRest {
      let goesOn = unlessRefused { () throws(NetworkError) in try deliver(decoder) }
      if !goesOn || isReceivingPaused { return }
    }
    applyPauses()
  }

  /// Resumes sending after a pause.
  func resumeSending() {
    guard isSendingPaused else { return }
    isSendingPaused = false
    lastActivityAt = loop.now
    applyPauses()
  }

  /// Returns whether the end has to wait until the consumer has taken the rest of the decoded data.
  ///
  /// Some versions of libcurl also end a paused transfer once all of its data has arrived.
  func holdsBack(_ result: Int) -> Bool {
    guard isReceivingPaused, decoder?.hasRest == true, refusal == nil else { return false }
    heldResult = result
    return true
  }

  /// Tells libcurl which directions are paused, always both in one call.
  private func applyPauses() {
    if heldResult != nil { return }
    let receiving = isReceivingPaused ? CCURL_PAUSE_RECEIVING : 0
    let sending = isSendingPaused ? CCURL_PAUSE_SENDING : 0
    _ = ccurl_pause(handle.easy, receiving | sending)
  }

  // MARK: Timeout and metrics

  /// The instant to check the transfer again: that of its idle timeout, or of the next look at its connection while the
  /// body's source is waited for; `nil` while the consumer is.
  var expiry: SuspendingClock.Instant? {
    if isReceivingPaused { return nil }
    return isSendingPaused ? uploadWatch.nextLook : lastActivityAt + request.idleTimeout
  }

  var timeout: NetworkError {
    NetworkError(.timedOut, reason: "nothing has come or gone for \(request.idleTimeout)", request: request)
  }

  /// The metrics so far.
  var metrics: Metrics {
    Metrics(
      handle.easy, isSecure: handle.isSecure, startedAt: startedAt - exchange.subscribedAt,
      endedAt: .now - exchange.subscribedAt, resendCount: resendCount)
  }
}
#endif
