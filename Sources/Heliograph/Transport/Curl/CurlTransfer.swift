#if HELIOGRAPH_CURL
import CCurl
import Foundation
import Signals

/// One exchange while libcurl works on it; it belongs to the loop's thread.
///
/// What its callbacks find wrong is kept as `refusal`: libcurl is told to stop and then reports an error of its own.
final class CurlTransfer {
  let exchange: CurlExchange
  let handle: CurlHandle
  /// Its place among the active ones.
  var index: Int

  /// Whether its connection may be one of HTTP/2.
  var isMultiplexing = false

  /// How large a record of TLS is at most: 16 KiB.
  static let recordByteCount = 16_384
  /// How much of a body is sent in pieces of that size, whatever the room: 1 MiB.
  private static let cautiousByteCount = 1_048_576

  let loop: CurlLoop
  private let startedAt: SuspendingClock.Instant
  // Written for each line and piece, on the loop's thread alone.
  @exclusivity(unchecked) var lastActivityAt: SuspendingClock.Instant
  var decoder: ContentDecoder?
  var upload: UploadReader?
  var refusal: NetworkError?
  var bodyByteCount = 0
  /// Each direction waits for us on its own: the consumer, and the source of the body.
  var isReceivingPaused = false
  var isSendingPaused = false
  var attemptCount = 0
  var resendCount = 0
  var isStale = false
  /// Whether there was something to read on its kept connection before anything was sent.
  var isUnclean = false
  /// Whether it goes over a connection that was made for it: then none that was kept can be to blame.
  var isFresh = false
  /// Whether libcurl is done with it.
  var isDone = false
  /// The result of libcurl's while the end waits for the consumer.
  var heldResult: Int?
  /// Whether sending was put off for reading: once for each piece of the body.
  var hasReadFirst = false
  /// The port of the last attempt's connection on this side.
  var localPort: Int32 = 0
  /// The number of the connection of the last attempt.
  var connection: Int64 = -1

  init(_ exchange: CurlExchange, _ handle: CurlHandle, _ loop: CurlLoop, index: Int) {
    self.exchange = exchange
    self.handle = handle
    self.loop = loop
    self.index = index
    // Transfers start at the beginning of a turn; what has come in it was subscribed to a little later.
    startedAt = max(loop.now, exchange.subscribedAt)
    lastActivityAt = startedAt
  }

  var request: HTTPRequest { exchange.request }
  var observer: Observer<TransportEvent, NetworkError> { exchange.observer }

  /// Sets the handle up for the request.
  func prepare() throws(NetworkError) {
    handle.transfer = .passUnretained(self)
    let request = exchange.request
    handle.head.begin(limit: request.limits.headerByteCount)
    try handle.apply(request, &loop.addresses)
    if handle.needsReader(request.body) {
      upload = try UploadReader(request) { [loop, exchange] in loop.submit(.resumeSending(exchange)) }
    }
    isMultiplexing = handle.resolved.speaksHTTP2 && handle.isSecure
    // See `CurlQuirks`.
    if isMultiplexing, upload != nil { handle.isUsedUp = true }
  }

  /// Gives the handle back.
  func close() {
    handle.transfer = nil
    upload?.close()
    exchange.transfer = nil
  }

  // MARK: What libcurl calls

  /// Takes a line of a head.
  func receive(line: UnsafeRawBufferPointer) -> Bool {
    lastActivityAt = loop.now
    do throws(NetworkError) {
      return try handle.head.add(line) ? receiveHead() : true
    } catch {
      refusal = error.blaming(request)
      return false
    }
  }

  private func receiveHead() -> Bool {
    unlessRefused { () throws(NetworkError) in
      if !isMultiplexing { handle.watchesExcess = true }
      observer.send(
        .head(HTTPResponse(statusCode: handle.head.statusCode, headers: handle.head.headers, url: request.url)))
    }
  }

  /// Takes a piece of a body.
  func receive(body: UnsafeRawBufferPointer) -> Bool {
    lastActivityAt = loop.now
    let isFirst = bodyByteCount == 0
    bodyByteCount += body.count
    // More in the same read is in the log by now, and what comes in a later one is not read.
    if CurlQuirks.logsExcessBeforeBodies, bodyByteCount == handle.head.bodyByteCount { handle.watchesExcess = false }
    return unlessRefused { () throws(NetworkError) in
      guard handle.head.isComplete else {
        throw NetworkError(.network, .invalidResponse, reason: "a body came before its head")
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
      // In small pieces at first: in between it is seen whether a response has come.
      let isSmall = upload.offset < CurlTransfer.cautiousByteCount
      let room = isSmall ? UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(CurlTransfer.recordByteCount)) : buffer
      if let count = try upload.read(into: room) {
        if count > 0 { observer.send(.sent(byteCount: upload.offset)) }
        return count
      }
      isSendingPaused = true
      return Int(CCURL_READ_PAUSE)
    } catch {
      refusal = error.blaming(request)
      return Int(CCURL_READ_ABORT)
    }
  }

  private func unlessRefused(_ work: () throws(NetworkError) -> Void) -> Bool {
    if observer.isDisposed { return false }
    // The subscriber's code may take long, or end the process.
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    do throws(NetworkError) {
      try work()
      return !observer.isDisposed
    } catch {
      refusal = error.blaming(request)
      return false
    }
  }

  // MARK: Pausing

  /// Stops reading while the consumer has more in hand than it gets done.
  private func pauseIfAhead() {
    guard !isReceivingPaused, let pressure = observer.pressure, pressure.isHigh else { return }
    isReceivingPaused = true
    applyPauses()
    pressure.whenLow { [loop, exchange] in loop.submit(.resumeReceiving(exchange)) }
  }

  /// Delivers what is decoded, until the consumer has more in hand than it gets done.
  private func deliver(_ decoder: ContentDecoder) throws(NetworkError) {
    while !isReceivingPaused, !observer.isDisposed, let piece = try decoder.next() {
      observer.send(.body(piece))
      pauseIfAhead()
    }
  }

  /// Reads on after a pause: first what has come before it.
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

  /// Sends on after a pause.
  func resumeSending() {
    guard isSendingPaused else { return }
    isSendingPaused = false
    lastActivityAt = loop.now
    applyPauses()
  }

  /// Whether its end has to wait until the consumer has taken what is left to decode: some versions of libcurl end a transfer
  /// whose bytes have all come in a pause, too.
  func holdsBack(_ result: Int) -> Bool {
    guard isReceivingPaused, decoder?.hasRest == true, refusal == nil else { return false }
    heldResult = result
    return true
  }

  /// libcurl is told of both directions at once.
  private func applyPauses() {
    if heldResult != nil { return }
    let receiving = isReceivingPaused ? CCURL_PAUSE_RECEIVING : 0
    let sending = isSendingPaused ? CCURL_PAUSE_SENDING : 0
    _ = ccurl_pause(handle.easy, receiving | sending)
  }

  // MARK: Time

  /// When it has taken too long, unless something happens before; `nil` while it waits for us.
  var expiry: SuspendingClock.Instant? {
    isReceivingPaused || isSendingPaused ? nil : lastActivityAt + request.timeout
  }

  var timeout: NetworkError {
    NetworkError(.network, .timedOut, reason: "nothing has come or gone for \(request.timeout)", request: request)
  }

  /// What it cost until now.
  var metrics: Metrics {
    Metrics(
      handle.easy, isSecure: handle.isSecure, startedAt: startedAt - exchange.subscribedAt,
      endedAt: .now - exchange.subscribedAt, resendCount: resendCount)
  }
}
#endif
