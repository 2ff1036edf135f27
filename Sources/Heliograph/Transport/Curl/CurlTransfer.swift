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

  /// Whether libcurl may forget to go on with it: it may share a connection of HTTP/2.
  private(set) var isForgettable = false
  /// Whether its connection may be one of HTTP/2.
  private var isMultiplexing = false

  private let loop: CurlLoop
  private let startedAt: ContinuousClock.Instant
  // Written for each line and piece, on the loop's thread alone.
  @exclusivity(unchecked) private var lastActivityAt: ContinuousClock.Instant
  private var inflater: Inflater?
  private var upload: UploadReader?
  private var refusal: NetworkError?
  private var bodyByteCount = 0
  private var isPaused = false
  private var attemptCount = 0
  private var resendCount = 0
  private var isStale = false
  /// Whether there was something to read on its kept connection before anything was sent.
  private var isUnclean = false
  /// Whether it goes over a connection that was made for it: then none that was kept can be to blame.
  private var isFresh = false

  init(_ exchange: CurlExchange, _ handle: CurlHandle, _ loop: CurlLoop, index: Int) {
    self.exchange = exchange
    self.handle = handle
    self.loop = loop
    self.index = index
    // Transfers start at the beginning of a turn; what has come in it was subscribed to a little later.
    startedAt = max(loop.now, exchange.subscribedAt)
    lastActivityAt = startedAt
  }

  private var request: HTTPRequest { exchange.request }
  private var observer: Observer<TransportEvent, NetworkError> { exchange.observer }

  /// Sets the handle up for the request.
  func prepare(_ settings: TransportSettings) throws(NetworkError) {
    handle.transfer = .passUnretained(self)
    let request = exchange.request
    handle.head.begin(limit: request.limits.headerByteCount)
    handle.apply(request, settings)
    if handle.needsReader(request.body) {
      upload = try UploadReader(request) { [loop, exchange] in loop.submit(.resume(exchange)) }
    }
    isMultiplexing = settings.allowsHTTP2 && handle.isSecure
    isForgettable = CurlLibrary.oversleeps && isMultiplexing
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
      handle.watchesExcess = true
      // What the caller has asked for in its own words, it undoes itself.
      if let coding = handle.head.contentCoding, request.headers["Accept-Encoding"] == nil {
        inflater = try Inflater(coding, loop.settings.contentCodings)
      }
      observer.send(
        .head(HTTPResponse(statusCode: handle.head.statusCode, headers: handle.head.headers, url: request.url)))
    }
  }

  /// Takes a piece of a body.
  func receive(body: UnsafeRawBufferPointer) -> Bool {
    lastActivityAt = loop.now
    bodyByteCount += body.count
    // More in the same read is in the log by now, and what comes in a later one is not read.
    if CurlLibrary.logsExcessBeforeBodies, bodyByteCount == handle.head.bodyByteCount { handle.watchesExcess = false }
    return unlessRefused { () throws(NetworkError) in
      guard handle.head.isComplete else {
        throw NetworkError(.network, .badResponse, reason: "a body came before its head")
      }
      if let inflater {
        try inflater.decode(body) { [observer] piece in
          observer.send(.body(piece))
          return !observer.isDisposed
        }
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
    do throws(NetworkError) {
      if let count = try upload.read(into: buffer) {
        if count > 0 { observer.send(.sent(byteCount: upload.offset)) }
        return count
      }
      isPaused = true
      return Int(CCURL_READ_PAUSE)
    } catch {
      refusal = error.blaming(request)
      return Int(CCURL_READ_ABORT)
    }
  }

  /// Whether the request may be sent now; libcurl sends it again by itself when a kept connection was closed.
  func mayAttempt(from localPort: Int32) -> Bool {
    attemptCount += 1
    let isOnNewConnection = ccurl_info(handle.easy, CCURL_INFO_NUM_CONNECTS) > 0
    if attemptCount == 1 {
      isUnclean = !isClean(localPort, isNew: isOnNewConnection)
      return !isUnclean
    }
    isStale = true
    // Another kept connection may be closed as well: only one made for this attempt will do, or else `prepareResend`.
    guard attemptCount == 2, resendCount == 0, request.isRepeatable, isOnNewConnection else { return false }
    isStale = false
    resendCount = 1
    return true
  }

  /// Whether nothing is to be read on the connection, as it has to be before a request.
  private func isClean(_ localPort: Int32, isNew: Bool) -> Bool {
    // Of HTTP/2 there may be news at any time.
    guard CurlLibrary.sendsOnUncleanConnections, !isMultiplexing else { return true }
    if isNew { loop.sockets.note(handle.newSockets, localPort) }
    return isNew || !loop.sockets.hasInput(localPort)
  }

  private func unlessRefused(_ work: () throws(NetworkError) -> Void) -> Bool {
    if observer.isDisposed { return false }
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
    guard !isPaused, let pressure = observer.pressure, pressure.isHigh else { return }
    isPaused = true
    _ = ccurl_pause(handle.easy, CCURL_PAUSE_RECEIVING)
    pressure.whenLow { [loop, exchange] in loop.submit(.resume(exchange)) }
  }

  /// Goes on after a pause.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    lastActivityAt = loop.now
    _ = ccurl_pause(handle.easy, 0)
  }

  // MARK: Time

  /// When it has taken too long, unless something happens before; `nil` while it waits for us.
  var expiry: ContinuousClock.Instant? {
    isPaused ? nil : lastActivityAt + request.timeout
  }

  var timeout: NetworkError {
    NetworkError(.network, .timedOut, reason: "nothing has come or gone for \(request.timeout)", request: request)
  }

  // MARK: The end

  /// Whether the request is to be sent again: a kept connection was closed before anything had come on it.
  func mustResend(after result: Int) -> Bool {
    guard result != CCURL_OK, refusal == nil, handle.head.byteCount == 0, !isFresh, !observer.isDisposed else {
      return false
    }
    // Nothing has been sent: it may be begun anew, whatever it is.
    if isUnclean { return true }
    let isCut = [CCURL_GOT_NOTHING, CCURL_SEND_ERROR, CCURL_RECV_ERROR, CCURL_HTTP2].contains(result)
    // It cannot begin a body anew that it has asked us for: that too is said only after a kept connection's end.
    isStale =
      isStale || result == CCURL_SEND_FAIL_REWIND || (isCut && ccurl_info(handle.easy, CCURL_INFO_NUM_CONNECTS) == 0)
    return isStale && request.isRepeatable
  }

  /// Makes ready for sending once more, on a connection that nothing was sent on.
  func prepareResend() {
    if !isUnclean { resendCount += 1 }
    attemptCount = 0
    isStale = false
    isUnclean = false
    isFresh = true
    isPaused = false
    lastActivityAt = loop.now
    handle.clear()
    handle.set(CCURL_OPT_FRESH_CONNECT, true)
    handle.lastKind = nil
    upload?.rewind()
  }

  /// What libcurl's result amounts to; `nil` if all is well.
  func failure(for result: Int) -> NetworkError? {
    if let refusal { return refusal }
    if isStale {
      return NetworkError(
        .network, .connectionLost, reason: "a kept connection was closed, and the request may not be sent twice",
        request: request)
    }
    if result != CCURL_OK { return NetworkError(curl: result, handle.errorText, request) }
    if !handle.head.isComplete {
      return NetworkError(
        .network, .connectionLost, reason: "the connection was closed in the middle of the head", request: request)
    }
    if handle.excess.pointee != 0 {
      return NetworkError(.network, .badResponse, reason: "more came than the response said", request: request)
    }
    if let inflater, !inflater.isAtEnd {
      return NetworkError(
        .network, .undecodableBody, reason: "the \(inflater.coding.rawValue) body is cut off", request: request)
    }
    return nil
  }

  /// What it cost until now.
  var metrics: Metrics {
    Metrics(
      handle.easy, isSecure: handle.isSecure, startedAt: startedAt - exchange.subscribedAt,
      endedAt: .now - exchange.subscribedAt, resendCount: resendCount)
  }
}
