#if HELIOGRAPH_CURL
import CCurl
import Foundation

extension CurlHandle {
  /// Sets the options of a request, including each option that an earlier request may have changed.
  func apply(_ request: HTTPRequest, _ addresses: inout CurlAddresses) throws(NetworkError) {
    clear()
    let address = request.url.absoluteString
    set(CCURL_OPT_URL, address)
    // Only `http` and `https` are allowed, so the fifth letter decides.
    isSecure = address.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
    let kind = Kind(request, isSecure: isSecure)
    if kind == nil || kind != lastKind { applyKind(of: request) }
    lastKind = kind
    if !hasFields(of: request) { set(fields: lines(of: request), of: request) }
    applyHost(request.url)
    do throws(NetworkError) {
      if let resolve = resolved.resolve { set(addresses: try addresses.entries(for: request.url, resolve)) }
      try check()
    } catch {
      throw error.attaching(request)
    }
  }

  /// Sets the options that depend on the request's host: the pins, the identity, and whether the proxy is used.
  private func applyHost(_ url: URL) {
    if !resolved.proxyExceptions.isEmpty {
      let bypassesProxy = resolved.proxyExceptions.contains(url)
      if bypassesProxy != lastBypassedProxy { set(CCURL_OPT_NOPROXY, bypassesProxy ? "*" : "") }
      lastBypassedProxy = bypassesProxy
    }
    if !resolved.pins.isEmpty {
      let pins = resolved.pins[url]
      if pins != lastPins { set(pins: pins) }
    }
    // libcurl reuses a connection only for the host, and with the certificate, for which it was made.
    if !resolved.identities.isEmpty {
      let identity = resolved.identities[url]
      if identity != lastIdentity { set(identity: identity) }
    }
  }

  /// Sets the options for the method and the body.
  private func applyKind(of request: HTTPRequest) {
    // Over TLS a request may wait for a connection that is being established, to share it. Over plain http it would
    // have to wait for the whole exchange on that connection.
    suggest(CCURL_OPT_PIPEWAIT, isSecure && resolved.speaksHTTP2 ? 1 : 0)
    set(CCURL_OPT_FRESH_CONNECT, false)
    suggest(CCURL_OPT_BUFFERSIZE, request.isStreamed ? CurlHandle.streamBufferByteCount : 16_384)
    let (method, body) = (request.method, request.body)
    var usual = HTTPMethod.get
    switch body {
    case .empty where request.hasBody:
      // RFC 9110 §8.6: these methods declare an empty body with `Content-Length: 0`.
      copy(Data())
      usual = .post
    case .empty:
      set(CCURL_OPT_HTTPGET, true)
      set(CCURL_OPT_NOBODY, method == .head)
      usual = method == .head ? .head : .get
    case .data(let data) where data.count <= HTTPBody.inMemoryByteLimit:
      copy(data)
      usual = .post
    case .data, .file, .stream:
      set(CCURL_OPT_HTTPGET, true)
      set(CCURL_OPT_UPLOAD, true)
      // Over TLS one record at a time, because an early response is detected between records; see `supplyBody`.
      suggest(CCURL_OPT_UPLOAD_BUFFERSIZE, isSecure ? CurlTransfer.recordByteCount : 65_536)
      usual = .put
    }
    set(CCURL_OPT_CUSTOMREQUEST, method == usual ? nil : method.rawValue)
  }

  private func copy(_ data: Data) {
    set(CCURL_OPT_HTTPGET, true)
    set(CCURL_OPT_POST, true)
    // The handle may have had a smaller buffer for an upload, in which a body does not follow its head at once.
    suggest(CCURL_OPT_UPLOAD_BUFFERSIZE, 65_536)
    set(CCURL_OPT_POSTFIELDSIZE_LARGE, byteCount: data.count)
    data.withUnsafeBytes { set(CCURL_OPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(excess)) }
  }

  private func lines(of request: HTTPRequest) -> [String] {
    // Suppresses libcurl's own `Expect` and its wait for `100 Continue`, which few servers send and which would take a
    // second. The caller's `Expect` is sent and not awaited, because libcurl decides by the first line with a name.
    var lines = request.hasBody ? ["Expect:"] : []
    var hasContentType = false
    for field in request.headers {
      if field.name.isEqualIgnoringCase(to: "Content-Length") { continue }
      hasContentType = hasContentType || field.name.isEqualIgnoringCase(to: "Content-Type")
      // libcurl keeps white space at the end, with which servers over HTTP/2 drop the field or reset the stream (RFC
      // 9113 §8.2.1).
      let value = field.value.trimmedField
      // libcurl does not send a field without a value, unless the line ends with a semicolon.
      lines.append(value.isEmpty ? field.name + ";" : field.name + ": " + value)
    }
    // libcurl would declare any body as that of an HTML form.
    if request.hasBody, !hasContentType { lines.append("Content-Type:") }
    if request.headers.offersCodings, let line = acceptEncoding { lines.append(line) }
    return lines
  }
}

extension CurlHandle {
  /// The size of the receive buffer for a body in pieces: a long download needs a seventh of the system calls that
  /// libcurl's own buffer of 16 KiB needs.
  private static let streamBufferByteCount = 131_072

  /// The properties of a request without a body that determine its options, which are set again only for another kind.
  struct Kind: Equatable {
    let method: HTTPMethod
    let isSecure: Bool
    let isStreamed: Bool

    init?(_ request: HTTPRequest, isSecure: Bool) {
      if request.hasBody { return nil }
      method = request.method
      self.isSecure = isSecure
      isStreamed = request.isStreamed
    }
  }
}

extension HTTPRequest {
  /// Whether the request has a body, even if it is empty.
  var hasBody: Bool {
    if case .empty = body { return method == .post || method == .put || method == .patch }
    return true
  }
}
#endif
