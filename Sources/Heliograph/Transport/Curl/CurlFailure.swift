#if HELIOGRAPH_CURL
import CCurl
import Foundation

extension NetworkError {
  /// Creates the error for a result of libcurl that is not `CCURL_OK`.
  ///
  /// `shortage` is the system's error number if a socket could not be created for lack of descriptors or memory.
  init(curl result: Int, _ text: String, _ request: HTTPRequest, shortage: Int32 = 0) {
    // No fault of the host: without a socket, a file, or a thread that looks its name up, nothing was sent to it.
    let hasNoLookUp = text.hasPrefix("getaddrinfo() thread failed")
    var shortage = result == CCURL_COULDNT_CONNECT ? shortage : 0
    // Reported as the lack of what could not be opened.
    let opensFiles = [
      CCURL_COULDNT_RESOLVE_HOST, CCURL_COULDNT_RESOLVE_PROXY, CCURL_SSL_CACERT_BADFILE, CCURL_SSL_CERTPROBLEM,
    ]
    if opensFiles.contains(result) { shortage = ccurl_descriptor_shortage() }
    if hasNoLookUp || shortage != 0 {
      self.init(
        .cannotConnect, reason: "no file descriptor, thread or memory for a connection", request: request,
        underlying: POSIXErrorCode(rawValue: shortage).map { POSIXError($0) })
      attribution = Attribution(.client)
      return
    }
    // libcurl's text quotes the URL with user and password. Its results differ: it fails to resolve, or to connect.
    if text.hasPrefix("Unsupported proxy") {
      self.init(
        .invalidTransport, reason: "invalid or unsupported proxy URL in the settings or the environment",
        request: request)
      return
    }
    // nghttp2's text quotes the field.
    if result == CCURL_HTTP2_STREAM, text.quotesHeaderField {
      self.init(.invalidResponse, reason: "HTTP/2 forbids a header field of the response", request: request)
      self = withExcerpt(String(text.prefix { $0 != "]" }.split(separator: "name: [").dropFirst().last ?? ""))
      return
    }
    let code = NetworkError.code(ofCurl: result, text, request)
    var reason = text.isEmpty || text.quotesServer(result) ? String(cString: ccurl_message(result)) : text
    if result == CCURL_OUT_OF_MEMORY, code == .responseTooLarge { reason = "a header line is too long for libcurl" }
    self.init(code, reason: reason, request: request)
    // The server was not reached, whatever status the proxy sent. The refusal of a SOCKS proxy has its own result.
    if text.refusesTunnel(result) || result == CCURL_PROXY_FAILED || result == CCURL_COULDNT_RESOLVE_PROXY {
      attribution = Attribution(.path)
    }
  }

  private static func code(ofCurl result: Int, _ text: String, _ request: HTTPRequest) -> Code {
    switch result {
    // With TLS 1.3 the alert arrives after the handshake, as a failure to read. Other texts may contain a host's name.
    case CCURL_SSL_CONNECT_ERROR where text.rejectsCertificate, CCURL_SEND_ERROR where text.rejectsCertificate,
      CCURL_RECV_ERROR where text.rejectsCertificate:
      .rejectedClientCertificate
    // With TLS 1.2, after the request: the server asked for a certificate in a second handshake and got none.
    case CCURL_SEND_ERROR where text.contains("alert handshake failure"),
      CCURL_RECV_ERROR where text.contains("alert handshake failure"):
      .rejectedClientCertificate
    // libcurl's text for the alert about an expired client certificate; for a server's certificate it names the
    // problem.
    case CCURL_PEER_FAILED_VERIFICATION where text == "SSL certificate verification failed": .rejectedClientCertificate
    case CCURL_URL_MALFORMAT: .invalidURL
    case CCURL_SSL_CACERT_BADFILE, CCURL_SSL_CRL_BADFILE, CCURL_NOT_BUILT_IN, CCURL_UNKNOWN_OPTION,
      CCURL_SSL_ENGINE_NOTFOUND, CCURL_SSL_ENGINE_SETFAILED, CCURL_SSL_ENGINE_INITFAILED:
      .invalidTransport
    // A repetition with the same password could lock the account.
    case _ where text.refusesTunnel(result) && text.contains(" 407"): .status(407)
    case CCURL_COULDNT_RESOLVE_HOST, CCURL_COULDNT_RESOLVE_PROXY: .cannotFindHost
    case CCURL_COULDNT_CONNECT, CCURL_PROXY_FAILED: .cannotConnect
    case CCURL_OPERATION_TIMEDOUT: .timedOut
    // libcurl reports a response that is not HTTP as "Unsupported protocol".
    case CCURL_UNSUPPORTED_PROTOCOL, CCURL_WEIRD_SERVER_REPLY: .invalidResponse
    case CCURL_BAD_CONTENT_ENCODING: .undecodableBody
    // Any other refusal of a tunnel has no code of its own.
    case _ where text.refusesTunnel(result): .cannotConnect
    // A trailer line that exceeds libcurl's buffer, and heads that exceed 300 KiB.
    case CCURL_RECV_ERROR where text.contains("Out of memory in chunked"),
      CCURL_RECV_ERROR where text.contains("Too large response headers"):
      .responseTooLarge
    // Malformed chunks have one code, and a malformed trailer after them another.
    case CCURL_RECV_ERROR where text.contains("chunk"), CCURL_BAD_FUNCTION_ARGUMENT where text.contains("chunk"),
      CCURL_BAD_FUNCTION_ARGUMENT where text.contains("response header"):
      .invalidResponse
    // From about 8.15 on: a client's key that does not match its certificate or its passphrase.
    case CCURL_BAD_FUNCTION_ARGUMENT where text.contains("private key"): .rejectedClientCertificate
    case CCURL_SSL_CONNECT_ERROR, CCURL_SSL_CIPHER, CCURL_USE_SSL_FAILED: .secureConnectionFailed
    case CCURL_PEER_FAILED_VERIFICATION, CCURL_SSL_PINNEDPUBKEYNOTMATCH, CCURL_SSL_ISSUER_ERROR,
      CCURL_SSL_INVALIDCERTSTATUS:
      .untrustedCertificate
    case CCURL_SSL_CERTPROBLEM, CCURL_SSL_CLIENTCERT: .rejectedClientCertificate
    // Versions before about 7.85 have a smaller buffer for the head of a request than `maximumHeadByteCount`.
    case CCURL_OUT_OF_MEMORY where request.headByteCount > 100_000: .requestTooLarge
    // libcurl reports a line that exceeds its own buffers, 100 KiB in a head, as "Out of memory".
    case CCURL_TOO_LARGE, CCURL_OUT_OF_MEMORY: .responseTooLarge
    // `CCURL_HTTP2`: a restarting server, such as Apache, closes its HTTP/2 connections this way.
    case CCURL_HTTP2, CCURL_GOT_NOTHING, CCURL_PARTIAL_FILE, CCURL_SEND_ERROR, CCURL_RECV_ERROR, CCURL_SEND_FAIL_REWIND,
      CCURL_SSL_SHUTDOWN_FAILED, CCURL_HTTP2_STREAM:
      .connectionLost
    default: .unknown
    }
  }
}

extension String {
  /// Whether the text quotes the server, which must not reach a log: a coding, an HTTP/2 header field or the reason of a
  /// GOAWAY frame.
  fileprivate func quotesServer(_ result: Int) -> Bool {
    result == CCURL_BAD_CONTENT_ENCODING || contains("value: [") || contains("received invalid frame")
  }

  /// Whether a proxy has refused a tunnel; libcurl 8.20 reports that as a failure to connect.
  fileprivate func refusesTunnel(_ result: Int) -> Bool {
    [CCURL_RECV_ERROR, CCURL_COULDNT_CONNECT].contains(result) && contains("CONNECT")
  }

  /// Whether the text is nghttp2's about a header field that HTTP/2 forbids.
  var quotesHeaderField: Bool { hasPrefix("Invalid HTTP header field was received") }

  /// Whether the text is a TLS alert by which a server rejects or demands a client certificate (RFC 8446 §6.2).
  ///
  /// It matches the messages of OpenSSL, BoringSSL and GnuTLS.
  fileprivate var rejectsCertificate: Bool {
    let text = lowercased()
    guard text.contains("alert") else { return false }
    return text.contains("certificate") || text.contains("unknown ca") || text.contains("unknown_ca")
      || text.contains("access denied") || text.contains("ca is unknown")
  }
}
#endif
