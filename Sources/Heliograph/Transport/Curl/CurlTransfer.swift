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
  private var isMultiplexing = false

  /// How large a record of TLS is at most: 16 KiB.
  static let recordByteCount = 16_384
  /// How much of a body is sent in pieces of that size, whatever the room: 1 MiB.
  private static let cautiousByteCount = 1_048_576

  private let loop: CurlLoop
  private let startedAt: SuspendingClock.Instant
  // Written for each line and piece, on the loop's thread alone.
  @exclusivity(unchecked) private var lastActivityAt: SuspendingClock.Instant
  private var decoder: ContentDecoder?
  private var upload: UploadReader?
  private var refusal: NetworkError?
  private var bodyByteCount = 0
  /// Each direction waits for us on its own: the consumer, and the source of the body.
  private var isReceivingPaused = false
  private var isSendingPaused = false
  private var attemptCount = 0
  private var resendCount = 0
  private var isStale = false
  /// Whether there was something to read on its kept connection before anything was sent.
  private var isUnclean = false
  /// Whether it goes over a connection that was made for it: then none that was kept can be to blame.
  private var isFresh = false
  /// Whether libcurl is done with it.
  private var isDone = false
  /// Whether sending was put off for reading: once for each piece of the body.
  private var hasReadFirst = false
  /// The port of the last attempt's connection on this side.
  private var localPort: Int32 = 0
  /// The number of the connection of the last attempt.
  private var connection: Int64 = -1

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
    try handle.apply(request, settings, &loop.addresses)
    if handle.needsReader(request.body) {
      upload = try UploadReader(request) { [loop, exchange] in loop.submit(.resumeSending(exchange)) }
    }
    isMultiplexing = settings.speaksHTTP2 && handle.isSecure
    // With 8.14 a handle whose upload was cut off over HTTP/2 frees a connection that others use, when it is added again.
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
        throw NetworkError(.network, .badResponse, reason: "a body came before its head")
      }
      if isFirst, let codings = handle.head.contentCoding, request.offersCodings {
        decoder = try ContentDecoder(codings, loop.settings.contentCodings)
      }
      if let decoder {
        try decoder.decode(body) { [observer] (piece) throws(NetworkError) in
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

  /// Whether something has come on a connection of HTTP/1 while the body is being sent: it may be a response after which the
  /// server closes, and libcurl would meet the closed connection by sending, and not read.
  private var mustReadFirst: Bool {
    hasReadFirst.toggle()
    if !hasReadFirst || loop.connections.isMultiplexing(connection) { return false }
    hasReadFirst = loop.sockets.hasInput(localPort)
    return hasReadFirst
  }

  /// Begins the request's body anew, for libcurl's own second attempt; `false` if it cannot.
  func rewind(to offset: Int64) -> Bool {
    guard offset == 0, let upload else { return false }
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    isSendingPaused = false
    upload.rewind()
    return true
  }

  /// Whether the request may be sent now; libcurl sends it again by itself when a kept connection was closed.
  func mayAttempt(from localPort: Int32) -> Bool {
    attemptCount += 1
    let isOnNewConnection = ccurl_info(handle.easy, CCURL_INFO_NUM_CONNECTS) > 0
    let before = connection
    self.localPort = localPort
    if isOnNewConnection { loop.sockets.note(handle.newSockets, localPort) }
    if isMultiplexing { connection = ccurl_info(handle.easy, CCURL_INFO_CONN_ID) }
    if attemptCount == 1 {
      isUnclean = !isClean(localPort, isNew: isOnNewConnection)
      return !isUnclean
    }
    if isRefused(on: before) {
      resendCount += 1
      return true
    }
    isStale = true
    // Another kept connection may be closed as well: only one made for this attempt will do, or else `prepareResend`.
    guard attemptCount == 2, resendCount == 0, request.isRepeatable, isOnNewConnection else { return false }
    isStale = false
    resendCount = 1
    return true
  }

  /// Whether the server refused the last attempt without processing it (RFC 9113 §8.7: GOAWAY, REFUSED_STREAM): then it may
  /// be sent again, whatever it is.
  ///
  /// libcurl sends a request over HTTP/2 again in two cases. When its connection broke it has written down why; when the
  /// stream was refused it has not.
  private func isRefused(on connection: Int64) -> Bool {
    isMultiplexing && handle.errorText.isEmpty && loop.connections.isMultiplexing(connection)
  }

  /// Notes whether the connection speaks HTTP/2, for the requests after this one; at the end.
  func noteConnection() {
    guard isMultiplexing, connection >= 0, ccurl_info(handle.easy, CCURL_INFO_HTTP_VERSION) == 3 else { return }
    loop.connections.note(connection)
  }

  /// Whether nothing is to be read on the connection, as it has to be before a request.
  private func isClean(_ localPort: Int32, isNew: Bool) -> Bool {
    guard CurlQuirks.sendsOnUncleanConnections else { return true }
    return isNew || !loop.sockets.hasInput(localPort)
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

  /// Reads on after a pause.
  func resumeReceiving() {
    guard isReceivingPaused else { return }
    isReceivingPaused = false
    lastActivityAt = loop.now
    applyPauses()
  }

  /// Sends on after a pause.
  func resumeSending() {
    guard isSendingPaused else { return }
    isSendingPaused = false
    lastActivityAt = loop.now
    applyPauses()
  }

  /// libcurl is told of both directions at once.
  private func applyPauses() {
    let receiving = isReceivingPaused ? CCURL_PAUSE_RECEIVING : 0
    let sending = isSendingPaused ? CCURL_PAUSE_SENDING : 0
    _ = ccurl_pause(handle.easy, receiving | sending)
  }

  // MARK: Time

  /// When it has taken too long, unless something happens before; `nil` while it waits for us, without a total limit.
  var expiry: SuspendingClock.Instant? {
    let isWaitingForUs = isReceivingPaused || isSendingPaused
    let silence = isWaitingForUs ? nil : lastActivityAt + exchange.request.timeout
    guard let deadline = exchange.deadline else { return silence }
    return silence.map { min($0, deadline) } ?? deadline
  }

  func timeout(_ now: SuspendingClock.Instant) -> NetworkError {
    if let deadline = exchange.deadline, deadline <= now {
      return exchange.timeout("not done within \(request.deadline ?? .zero)")
    }
    return exchange.timeout("nothing has come or gone for \(request.timeout)")
  }

  // MARK: The end

  /// Whether the request is to be sent again: a kept connection was closed before anything had come on it.
  func mustResend(after result: Int) -> Bool {
    isDone = true
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
    isDone = false
    if !isUnclean { resendCount += 1 }
    attemptCount = 0
    isStale = false
    isUnclean = false
    isFresh = true
    isReceivingPaused = false
    isSendingPaused = false
    lastActivityAt = loop.now
    handle.clear()
    handle.set(CCURL_OPT_FRESH_CONNECT, true)
    handle.lastKind = nil
    upload?.rewind()
  }

  /// What libcurl's result amounts to; `nil` if all is well.
  func failure(for result: Int) -> NetworkError? {
    if let refusal { return refusal }
    if isAnswered, result != CCURL_OK { return nil }
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
    if let decoder, !decoder.isAtEnd {
      return NetworkError(
        .network, .undecodableBody, reason: "the \(decoder.description) body is cut off", request: request)
    }
    return nil
  }

  /// Whether all of a response has come, though not all of the request was sent.
  ///
  /// RFC 9113 §8.1: a server may answer early and then stop the upload, and that response counts.
  private var isAnswered: Bool {
    guard upload != nil || request.hasBody, handle.head.isComplete, handle.excess.pointee == 0 else { return false }
    let isWhole = handle.head.bodyByteCount == bodyByteCount || handle.head.hasNoBody
    return isWhole && decoder?.isAtEnd != false
  }

  /// Before it is taken out of the loop unfinished: libcurl tells a server of HTTP/2 only when it uses the connection again.
  func prepareRemoval() {
    guard isMultiplexing, !isDone else { return }
    // Closes the connection, unless others are in flight on it.
    handle.forbidReuse()
  }

  /// What it cost until now.
  var metrics: Metrics {
    Metrics(
      handle.easy, isSecure: handle.isSecure, startedAt: startedAt - exchange.subscribedAt,
      endedAt: .now - exchange.subscribedAt, resendCount: resendCount)
  }
}
