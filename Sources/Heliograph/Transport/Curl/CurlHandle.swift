#if HELIOGRAPH_CURL
import CCurl
import Foundation

/// An easy handle of libcurl's with what it writes into: used for one transfer after another.
final class CurlHandle {
  let easy: OpaquePointer
  /// What it is used for now; nothing while it is idle.
  ///
  /// The engine holds it for as long.
  // Both are used for each line of a head and belong to the loop's thread: to check each access would cost as much.
  @exclusivity(unchecked) var transfer: Unmanaged<CurlTransfer>?
  /// Reads the head of the response.
  @exclusivity(unchecked) var head = HeadParser()
  /// Whether it goes over TLS.
  var isSecure = false
  /// Set to 1 when more has come than the response said.
  let excess = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  /// The sockets that were made for the transfer: candidates for its connection.
  var newSockets: [Int32] = []
  let resolved: ResolvedSettings
  let acceptEncoding: String?
  private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CCURL_ERROR_SIZE))
  /// Header fields of the request; libcurl keeps no copy of the list.
  private var fields: OpaquePointer?
  private var lastHeaders: HTTPHeaders?
  private var lastHadBody = false
  /// Of the request before, if it had no body.
  var lastKind: Kind?
  /// What the request before had of what depends on its host.
  var lastIsExcepted = false
  var lastPins: [String]?
  /// The list of addresses for the request's host.
  private var addresses: OpaquePointer?
  /// Whether it must not be used for another transfer.
  var isUsedUp = false
  /// The first option that libcurl has not taken, and why.
  private var refusal: (option: Int, result: Int)?

  /// - Throws: a `client` error when libcurl is out of memory, or does not take what the settings say: a request that goes
  ///   without a pin or a proxy would be worse.
  init(_ resolved: ResolvedSettings) throws(NetworkError) {
    guard let easy = ccurl_easy_make() else {
      throw NetworkError(.client, .invalidTransport, reason: "libcurl has no more handles")
    }
    self.easy = easy
    excess.initialize(to: 0)
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
    message.deallocate()
  }

  /// The handle that a callback's context stands for.
  static func from(_ context: UnsafeMutableRawPointer) -> CurlHandle {
    Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
  }

  /// Works on the transfer of the handle that a context stands for, without counting references: the engine holds both.
  static func withTransfer<Result>(_ context: UnsafeMutableRawPointer?, _ work: (CurlTransfer) -> Result) -> Result? {
    guard let context else { return nil }
    return Unmanaged<CurlHandle>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.transfer?._withUnsafeGuaranteedRef(work)
    }
  }

  /// What libcurl says of the last failure.
  var errorText: String { String(cString: message) }

  /// Forgets what the transfer before has left.
  func clear() {
    excess.pointee = 0
    message.pointee = 0
    if !newSockets.isEmpty { newSockets.removeAll(keepingCapacity: true) }
    watchesExcess = false
    if forbidsReuse {
      set(CCURL_OPT_FORBID_REUSE, false)
      forbidsReuse = false
    }
  }

  /// Throws a `client` error if libcurl has not taken an option since the last time.
  func check() throws(NetworkError) {
    guard let (option, result) = refusal else { return }
    refusal = nil
    // Nothing that is remembered of what was set can be relied on.
    isUsedUp = true
    let reason = "libcurl refuses option \(option): " + String(cString: ccurl_message(result))
    throw NetworkError(.client, option == CCURL_OPT_URL ? .invalidURL : .invalidTransport, reason: reason)
  }

  private var forbidsReuse = false

  /// Has the connection closed with the transfer, unless others are in flight on it.
  func forbidReuse() {
    set(CCURL_OPT_FORBID_REUSE, true)
    forbidsReuse = true
  }

  /// Whether libcurl's log is read for what has come beyond a body: from the end of the head on, since each line of that log
  /// costs as much as ten of our own calls, and most of them are written before.
  var watchesExcess = false {
    didSet { if watchesExcess != oldValue { set(CCURL_OPT_VERBOSE, watchesExcess) } }
  }

  func set(_ option: Int, _ value: Int) { note(option, ccurl_set_long(easy, option, value)) }
  func set(_ option: Int, _ value: Bool) { note(option, ccurl_set_long(easy, option, value ? 1 : 0)) }
  func set(_ option: Int, _ value: String?) { note(option, ccurl_set_string(easy, option, value)) }
  func set(_ option: Int, byteCount: Int) { note(option, ccurl_set_size(easy, option, Int64(byteCount))) }
  func set(_ option: Int, _ pointer: UnsafeRawPointer?) { note(option, ccurl_set_pointer(easy, option, pointer)) }

  func set(_ option: Int, _ bundle: AuthorityBundle) {
    note(option, ccurl_set_blob(easy, option, bundle.bytes.baseAddress, bundle.bytes.count))
  }

  /// Sets what a libcurl that does not know it has no need of.
  func suggest(_ option: Int, _ value: Int) { _ = ccurl_set_long(easy, option, value) }
  /// Clears what a libcurl that does not know it cannot have.
  func suggestNone(_ option: Int) { _ = ccurl_set_string(easy, option, nil) }

  private func note(_ option: Int, _ result: Int) {
    if result != CCURL_OK, refusal == nil { refusal = (option, result) }
  }

  /// Whether the header fields are set already: most requests have those of the one before.
  func hasFields(of request: HTTPRequest) -> Bool {
    guard let last = lastHeaders, last.count == request.headers.count, lastHadBody == request.hasBody else {
      return false
    }
    // By bytes: strings are equal also where their bytes are not.
    return zip(last, request.headers).allSatisfy {
      $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.utf8.elementsEqual($1.value.utf8)
    }
  }

  /// Sets the header fields.
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
        note(option, Int(CCURL_OUT_OF_MEMORY))
        break
      }
      new = longer
    }
    note(option, ccurl_set_list(easy, option, new))
    ccurl_list_free(list)
    list = new
  }

  /// What is the same for every request.
  private func setUp() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    set(CCURL_OPT_PRIVATE, context)
    set(CCURL_OPT_ERRORBUFFER, message)
    set(CCURL_OPT_NOSIGNAL, true)
    suggest(CCURL_OPT_NOPROGRESS, 1)
    set(CCURL_OPT_PROTOCOLS, CCURL_PROTOCOLS_HTTP_AND_HTTPS)
    set(CCURL_OPT_FOLLOWLOCATION, false)
    set(CCURL_OPT_PATH_AS_IS, true)
    set(CCURL_OPT_HTTP09_ALLOWED, false)
    set(CCURL_OPT_HTTP_CONTENT_DECODING, false)
    set(CCURL_OPT_SUPPRESS_CONNECT_HEADERS, true)
    note(CCURL_OPT_DEBUGFUNCTION, ccurl_watch_excess(easy, excess))
    for (function, data, callback) in [
      (CCURL_OPT_HEADERFUNCTION, CCURL_OPT_HEADERDATA, onHeader),
      (CCURL_OPT_WRITEFUNCTION, CCURL_OPT_WRITEDATA, onBody),
      (CCURL_OPT_READFUNCTION, CCURL_OPT_READDATA, onUpload),
    ] {
      note(function, ccurl_set_data_callback(easy, function, callback))
      set(data, context)
    }
    note(CCURL_OPT_SEEKFUNCTION, ccurl_set_seek_callback(easy, onRewind))
    set(CCURL_OPT_SEEKDATA, context)
    // A process that is started meanwhile would hold a connection open after its end here.
    note(CCURL_OPT_OPENSOCKETFUNCTION, ccurl_open_sockets_close_on_exec(easy))
    note(CCURL_OPT_SOCKOPTFUNCTION, ccurl_set_socket_callback(easy, onSocket))
    set(CCURL_OPT_SOCKOPTDATA, context)
    note(CCURL_OPT_PREREQFUNCTION, ccurl_set_request_callback(easy, onAttempt))
    set(CCURL_OPT_PREREQDATA, context)
  }
}

/// A line of a head.
private let onHeader: ccurl_data_callback = { bytes, size, count, context in
  guard let bytes else { return CCURL_WRITE_ERROR }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return CurlHandle.withTransfer(context) { $0.receive(line: line) } == true ? line.count : CCURL_WRITE_ERROR
}

/// A piece of a body.
private let onBody: ccurl_data_callback = { bytes, size, count, context in
  guard let bytes else { return CCURL_WRITE_ERROR }
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return CurlHandle.withTransfer(context) { $0.receive(body: piece) } == true ? piece.count : CCURL_WRITE_ERROR
}

/// Room for the next piece of the request's body.
private let onUpload: ccurl_data_callback = { bytes, size, count, context in
  guard let bytes else { return CCURL_READ_ABORT }
  let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
  return CurlHandle.withTransfer(context) { $0.give(into: room) } ?? CCURL_READ_ABORT
}

/// The request's body is wanted from the beginning.
private let onRewind: ccurl_seek_callback = { context, offset, origin in
  let isRewound = CurlHandle.withTransfer(context) { origin == SEEK_SET && $0.rewind(to: offset) } == true
  return Int32(isRewound ? CCURL_SEEK_OK : CCURL_SEEK_FAILED)
}

/// A request is about to be sent; libcurl does it again by itself when a kept connection was closed.
private let onAttempt: ccurl_request_callback = { context, _, _, _, localPort in
  let mayAttempt = CurlHandle.withTransfer(context) { $0.mayAttempt(from: localPort) } == true
  return Int32(mayAttempt ? CCURL_PREREQ_OK : CCURL_PREREQ_ABORT)
}

/// A socket has been made, and is about to be connected.
private let onSocket: ccurl_socket_callback = { context, descriptor, _ in
  if let context { CurlHandle.from(context).newSockets.append(descriptor) }
  return 0
}
#endif
