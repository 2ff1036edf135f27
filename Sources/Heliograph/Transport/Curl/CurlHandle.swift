#if HELIOGRAPH_CURL
import CCurl
import Foundation

/// An easy handle of libcurl with its buffers, reused for one transfer after another.
final class CurlHandle {
  let easy: OpaquePointer
  /// The current transfer, which the engine retains; `nil` while the handle is idle.
  // Accessed on the loop's thread only, like `head`, and for each line of a head: checking each access would cost as
  // much as the access.
  @exclusivity(unchecked) var transfer: Unmanaged<CurlTransfer>?
  @exclusivity(unchecked) var head = HeadParser()
  var isSecure = false
  /// Set to 1 when more data has arrived than the response announced.
  let excess: UnsafeMutablePointer<Int32>
  /// The system's error number if a socket of the transfer could not be created for lack of descriptors or memory;
  /// otherwise 0.
  let shortage: UnsafeMutablePointer<Int32>
  /// The sockets that were created for the transfer: candidates for its connection.
  var newSockets: [Int32] = []
  let resolved: ResolvedSettings
  let acceptEncoding: String?
  private let message: UnsafeMutablePointer<CChar>
  /// The header fields of the request; libcurl does not copy the list.
  private var fields: OpaquePointer?
  private var lastHeaders: HTTPHeaders?
  private var lastHadBody = false
  /// The kind of the previous request, if it had no body.
  var lastKind: Kind?
  /// The host-dependent options of the previous request.
  var lastBypassedProxy = false
  var lastPins: [String]?
  var lastIdentity: Trust.Identity?
  private var addresses: OpaquePointer?
  /// Whether the handle must not be reused.
  var isUsedUp = false
  private var firstRejection: (option: Int, result: Int)?

  init(_ resolved: ResolvedSettings) throws(NetworkError) {
    guard let easy = ccurl_easy_make() else {
      throw NetworkError(.invalidTransport, reason: "libcurl could not create a handle")
    }
    self.easy = easy
    excess = .allocate(capacity: 1)
    shortage = .allocate(capacity: 1)
    message = .allocate(capacity: Int(CCURL_ERROR_SIZE))
    excess.initialize(to: 0)
    shortage.initialize(to: 0)
    message.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
    self.resolved = resolved
    let names = resolved.codings.map(\.rawValue).joined(separator: ", ")
    acceptEncoding = names.isEmpty ? nil : "Accept-Encoding: " + names
    setUp()
    apply(resolved)
    try check()
  }

  deinit {
    ccurl_easy_free(easy)
    ccurl_list_free(fields)
    ccurl_list_free(addresses)
    excess.deallocate()
    shortage.deallocate()
    message.deallocate()
  }

  static func from(_ context: UnsafeMutableRawPointer) -> CurlHandle {
    Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
  }

  /// Runs a closure with a handle's current transfer; no reference is counted, because the engine retains both.
  static func withTransfer<Result>(_ context: UnsafeMutableRawPointer?, _ work: (CurlTransfer) -> Result) -> Result? {
    guard let context else { return nil }
    return Unmanaged<CurlHandle>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.transfer?._withUnsafeGuaranteedRef(work)
    }
  }

  var errorText: String { String(cString: message) }

  func clearErrorText() { message.pointee = 0 }

  /// Resets the settings of the previous transfer.
  func clear() {
    excess.pointee = 0
    shortage.pointee = 0
    clearErrorText()
    if !newSockets.isEmpty { newSockets.removeAll(keepingCapacity: true) }
    watchesExcess = false
    forbidsReuse = false
  }

  /// Throws a `client` error if libcurl has refused an option since the last check.
  func check() throws(NetworkError) {
    guard let (option, result) = firstRejection else { return }
    firstRejection = nil
    // The handle no longer knows which options are set.
    isUsedUp = true
    let reason = "libcurl rejected option \(option): " + String(cString: ccurl_message(result))
    throw NetworkError(option == CCURL_OPT_URL ? .invalidURL : .invalidTransport, reason: reason)
  }

  /// The maximum number of seconds for which a connection was idle that is reused, if it is less than in the settings.
  var idleLimit: Int? {
    didSet {
      if idleLimit == oldValue { return }
      let limit = resolved.settings.maximumConnectionIdleTime.wholeSeconds
      set(CCURL_OPT_MAXAGE_CONN, idleLimit.map { max(1, $0) } ?? limit)
    }
  }

  func useNewConnection() {
    set(CCURL_OPT_FRESH_CONNECT, true)
    // The next request resets it with the options of its kind.
    lastKind = nil
  }

  /// Whether libcurl caches the addresses of names, and its failures to find them; by default for a minute.
  var cachesAddresses = true {
    didSet { if cachesAddresses != oldValue { suggest(CCURL_OPT_DNS_CACHE_TIMEOUT, cachesAddresses ? 60 : 0) } }
  }

  /// Whether the connection is closed when the transfer ends, unless it is shared.
  var forbidsReuse = false {
    didSet {
      if forbidsReuse != oldValue {
        set(CCURL_OPT_FORBID_REUSE, forbidsReuse || !resolved.settings.keepsConnections)
      }
    }
  }

  /// Whether libcurl's log is checked for data beyond a body; it is checked only after the head, because each line of
  /// the log is expensive and most precede the body.
  var watchesExcess = false {
    didSet { if watchesExcess != oldValue { set(CCURL_OPT_VERBOSE, watchesExcess) } }
  }

  func set(_ option: Int, _ value: Int) { record(option, ccurl_set_long(easy, option, value)) }
  func set(_ option: Int, _ value: Bool) { record(option, ccurl_set_long(easy, option, value ? 1 : 0)) }
  func set(_ option: Int, _ value: String?) { record(option, ccurl_set_pointer(easy, option, value)) }
  func set(_ option: Int, byteCount: Int) { record(option, ccurl_set_size(easy, option, Int64(byteCount))) }
  func set(_ option: Int, _ pointer: UnsafeRawPointer?) { record(option, ccurl_set_pointer(easy, option, pointer)) }

  func set(_ option: Int, _ bundle: AuthorityBundle) {
    record(option, ccurl_set_blob(easy, option, bundle.bytes.baseAddress, bundle.bytes.count))
  }

  /// Sets an option and ignores a refusal: a libcurl that does not know the option does not need it.
  func suggest(_ option: Int, _ value: Int) { _ = ccurl_set_long(easy, option, value) }
  func suggest(_ option: Int, _ value: String?) { _ = ccurl_set_pointer(easy, option, value) }

  private func record(_ option: Int, _ result: Int) {
    if result != CCURL_OK, firstRejection == nil { firstRejection = (option, result) }
  }

  /// Returns whether the header fields are already set, because most requests have those of the previous one.
  func hasFields(of request: HTTPRequest) -> Bool {
    guard let last = lastHeaders, last.count == request.headers.count, lastHadBody == request.hasBody else {
      return false
    }
    // Compared by bytes, because equal strings may have different bytes.
    return zip(last, request.headers).allSatisfy {
      $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.utf8.elementsEqual($1.value.utf8)
    }
  }

  func set(fields lines: [String], of request: HTTPRequest) {
    lastHeaders = request.headers
    lastHadBody = request.hasBody
    replace(&fields, with: lines, Int(CCURL_OPT_HTTPHEADER))
  }
  func set(addresses lines: [String]) { replace(&addresses, with: lines, Int(CCURL_OPT_RESOLVE)) }

  private func replace(_ list: inout OpaquePointer?, with lines: [String], _ option: Int) {
    if list == nil && lines.isEmpty { return }
    var new: OpaquePointer?
    for line in lines {
      guard let longer = ccurl_list_append(new, line) else {
        record(option, Int(CCURL_OUT_OF_MEMORY))
        break
      }
      new = longer
    }
    set(option, new.map { UnsafeRawPointer($0) })
    ccurl_list_free(list)
    list = new
  }

  /// Sets the options that are the same for every request.
  private func setUp() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    set(CCURL_OPT_PRIVATE, context)
    set(CCURL_OPT_ERRORBUFFER, message)
    set(CCURL_OPT_NOSIGNAL, true)
    // Otherwise the end of a request would wait for its name look-up, and with it every other request.
    suggest(CCURL_OPT_QUICK_EXIT, 1)
    set(CCURL_OPT_PROTOCOLS, CCURL_PROTOCOLS_HTTP_AND_HTTPS)
    set(CCURL_OPT_FOLLOWLOCATION, false)
    set(CCURL_OPT_PATH_AS_IS, true)
    set(CCURL_OPT_HTTP09_ALLOWED, false)
    set(CCURL_OPT_HTTP_CONTENT_DECODING, false)
    set(CCURL_OPT_SUPPRESS_CONNECT_HEADERS, true)
    record(CCURL_OPT_DEBUGFUNCTION, ccurl_watch_excess(easy, excess))
    for (function, data, callback) in [
      (CCURL_OPT_HEADERFUNCTION, CCURL_OPT_HEADERDATA, onHeader),
      (CCURL_OPT_WRITEFUNCTION, CCURL_OPT_WRITEDATA, onBody),
      (CCURL_OPT_READFUNCTION, CCURL_OPT_READDATA, onUpload),
    ] {
      record(function, ccurl_set_data_callback(easy, function, callback))
      set(data, context)
    }
    record(CCURL_OPT_SEEKFUNCTION, ccurl_set_seek_callback(easy, onRewind))
    set(CCURL_OPT_SEEKDATA, context)
    // Otherwise child processes would inherit connections and keep them open.
    record(CCURL_OPT_OPENSOCKETFUNCTION, ccurl_open_sockets_close_on_exec(easy, shortage))
    record(CCURL_OPT_SOCKOPTFUNCTION, ccurl_set_socket_callback(easy, onSocket))
    set(CCURL_OPT_SOCKOPTDATA, context)
    record(CCURL_OPT_PREREQFUNCTION, ccurl_set_request_callback(easy, onAttempt))
    set(CCURL_OPT_PREREQDATA, context)
  }
}

private let onHeader: ccurl_data_callback = { bytes, size, count, context in
  guard let bytes else { return CCURL_WRITE_ERROR }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return CurlHandle.withTransfer(context) { $0.receive(line: line) } == true ? line.count : CCURL_WRITE_ERROR
}

private let onBody: ccurl_data_callback = { bytes, size, count, context in
  guard let bytes else { return CCURL_WRITE_ERROR }
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return CurlHandle.withTransfer(context) { $0.receive(body: piece) } ?? CCURL_WRITE_ERROR
}

private let onUpload: ccurl_data_callback = { bytes, size, count, context in
  guard let bytes else { return CCURL_READ_ABORT }
  let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
  return CurlHandle.withTransfer(context) { $0.supplyBody(into: buffer) } ?? CCURL_READ_ABORT
}

private let onRewind: ccurl_seek_callback = { context, offset, origin in
  let isRewound = CurlHandle.withTransfer(context) { origin == SEEK_SET && $0.rewind(to: offset) } == true
  return Int32(isRewound ? CCURL_SEEK_OK : CCURL_SEEK_FAILED)
}

/// Begins an attempt; libcurl resends a request by itself when a keep-alive connection was closed.
private let onAttempt: ccurl_request_callback = { context, remote, local, remotePort, localPort in
  let endpoints = CurlEndpoints(
    local: local.map { String(cString: $0) } ?? "", localPort: localPort,
    remote: remote.map { String(cString: $0) } ?? "", remotePort: remotePort)
  let maySend = CurlHandle.withTransfer(context) { $0.beginAttempt(on: endpoints) } == true
  return Int32(maySend ? CCURL_PREREQ_OK : CCURL_PREREQ_ABORT)
}

private let onSocket: ccurl_socket_callback = { context, descriptor, _ in
  if let context { CurlHandle.from(context).newSockets.append(descriptor) }
  return 0
}
#endif
