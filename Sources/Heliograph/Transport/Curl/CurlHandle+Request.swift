#if HELIOGRAPH_CURL
import CCurl
import Foundation

extension CurlHandle {
  /// Sets what this request asks for; every option that a request before may have changed is set anew.
  ///
  /// - Throws: a `client` error if libcurl does not take it, or the hook for addresses gives no address.
  func apply(_ request: HTTPRequest, _ addresses: inout CurlAddresses) throws(NetworkError) {
    clear()
    let address = request.url.absoluteString
    set(CCURL_OPT_URL, address)
    // Of `http` and `https`, which are all that is allowed, the letter tells.
    isSecure = address.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
    let kind = Kind(request, isSecure: isSecure)
    if kind == nil || kind != lastKind { applyKind(of: request) }
    lastKind = kind
    if !hasFields(of: request) { set(fields: lines(of: request), of: request) }
    applyHost(request.url)
    if let resolve = resolved.resolve {
      do throws(NetworkError) {
        set(addresses: try addresses.entries(for: request.url, resolve))
      } catch {
        throw error.blaming(request)
      }
    }
    do throws(NetworkError) { try check() } catch { throw error.blaming(request) }
  }

  /// Sets what depends on the request's host: the pins, and whether there is a proxy.
  private func applyHost(_ url: URL) {
    if !resolved.proxyExceptions.isEmpty {
      let isExcepted = resolved.proxyExceptions.contain(url)
      if isExcepted != lastIsExcepted { set(CCURL_OPT_NOPROXY, isExcepted ? "*" : "") }
      lastIsExcepted = isExcepted
    }
    if !resolved.pins.isEmpty {
      let pins = resolved.pins[url]
      if pins != lastPins { set(pins: pins) }
    }
  }

  /// Sets what kind of request it is.
  private func applyKind(of request: HTTPRequest) {
    // Over TLS a request may wait for a connection that is being made, to share it; in the clear it would have to
    // wait for all of the exchange there.
    suggest(CCURL_OPT_PIPEWAIT, isSecure && resolved.speaksHTTP2 ? 1 : 0)
    set(CCURL_OPT_FRESH_CONNECT, false)
    let (method, body) = (request.method, request.body)
    var usual = HTTPMethod.get
    switch body {
    case .empty where request.hasBody:
      // RFC 9110 §8.6: their empty body is announced as such.
      copy(Data())
      usual = .post
    case .empty:
      set(CCURL_OPT_HTTPGET, true)
      set(CCURL_OPT_NOBODY, method == .head)
      usual = method == .head ? .head : .get
    case .data(let data) where !needsReader(body):
      copy(data)
      usual = .post
    case .data, .file, .stream:
      set(CCURL_OPT_HTTPGET, true)
      set(CCURL_OPT_UPLOAD, true)
      set(CCURL_OPT_INFILESIZE_LARGE, byteCount: body.byteCount ?? -1)
      // Over TLS a record at a time: in between it is seen whether a response has come; see `CurlTransfer.give`.
      suggest(CCURL_OPT_UPLOAD_BUFFERSIZE, isSecure ? CurlTransfer.recordByteCount : 65_536)
      usual = .put
    }
    set(CCURL_OPT_CUSTOMREQUEST, method == usual ? nil : method.rawValue)
  }

  /// Whether libcurl asks for the body's bytes while it sends them.
  func needsReader(_ body: HTTPBody) -> Bool {
    switch body {
    case .empty: false
    case .data(let data): data.count > UploadReader.copiedByteCount
    case .file, .stream: true
    }
  }

  private func copy(_ data: Data) {
    set(CCURL_OPT_HTTPGET, true)
    set(CCURL_OPT_POST, true)
    set(CCURL_OPT_POSTFIELDSIZE_LARGE, byteCount: data.count)
    data.withUnsafeBytes { set(CCURL_OPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(excess)) }
  }

  private func lines(of request: HTTPRequest) -> [String] {
    // No waiting for leave to send a body, even if the caller's fields ask for it: few servers give it, and a second would be
    // lost with the others. libcurl goes by the first line of a name.
    var lines = request.hasBody ? ["Expect:"] : []
    var hasContentType = false
    for field in request.headers {
      if field.name.isEqualIgnoringCase(to: "Content-Length") { continue }
      hasContentType = hasContentType || field.name.isEqualIgnoringCase(to: "Content-Type")
      // libcurl takes a field without a value for one that is not to be sent, but for a semicolon.
      let isBlank = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      lines.append(isBlank ? field.name + ";" : field.name + ": " + field.value)
    }
    // libcurl would call any body that of an HTML form.
    if request.hasBody, !hasContentType { lines.append("Content-Type:") }
    if request.offersCodings, let line = acceptEncoding { lines.append(line) }
    return lines
  }
}

extension CurlHandle {
  /// What is the same for many requests without a body, and then need not be set again.
  struct Kind: Equatable {
    let method: HTTPMethod
    let isSecure: Bool

    init?(_ request: HTTPRequest, isSecure: Bool) {
      if request.hasBody { return nil }
      method = request.method
      self.isSecure = isSecure
    }
  }
}

extension HTTPRequest {
  /// Whether it goes with a body, be it an empty one.
  var hasBody: Bool {
    if case .empty = body { return method == .post || method == .put || method == .patch }
    return true
  }
}
#endif
