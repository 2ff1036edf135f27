import CCurl

extension NetworkError {
  /// What a result of libcurl's means.
  init(curl result: Int, _ text: String, _ request: HTTPRequest) {
    let reason = text.isEmpty ? String(cString: ccurl_message(result)) : text
    let (domain, code) = NetworkError.meaning(ofCurl: result, text, request)
    self.init(domain, code, reason: reason, request: request)
    // Whatever status it has: the server was not asked.
    if result == CCURL_RECV_ERROR, text.contains("CONNECT") { attribution = Attribution(.path) }
  }

  private static func meaning(ofCurl result: Int, _ text: String, _ request: HTTPRequest) -> (Domain, Code) {
    switch result {
    case CCURL_URL_MALFORMAT: (.client, .badURL)
    case CCURL_SSL_CACERT_BADFILE, CCURL_NOT_BUILT_IN, CCURL_UNKNOWN_OPTION: (.client, .badTransport)
    case CCURL_COULDNT_RESOLVE_HOST, CCURL_COULDNT_RESOLVE_PROXY: (.network, .cannotFindHost)
    case CCURL_COULDNT_CONNECT, CCURL_PROXY_FAILED: (.network, .cannotConnect)
    case CCURL_OPERATION_TIMEDOUT: (.network, .timedOut)
    // "Unsupported protocol" is what it calls an answer that is not HTTP.
    case CCURL_UNSUPPORTED_PROTOCOL, CCURL_WEIRD_SERVER_REPLY, CCURL_HTTP2: (.network, .badResponse)
    // A proxy's refusal of a tunnel has no number of its own.
    case CCURL_RECV_ERROR where text.contains("CONNECT"): (.network, .cannotConnect)
    // Wrong chunks have one code, and a wrong trailer after them another.
    case CCURL_RECV_ERROR where text.contains("chunk"), CCURL_BAD_FUNCTION_ARGUMENT where text.contains("chunk"):
      (.network, .badResponse)
    case CCURL_SSL_CONNECT_ERROR, CCURL_SSL_CIPHER: (.network, .secureConnectionFailed)
    case CCURL_PEER_FAILED_VERIFICATION, CCURL_SSL_PINNEDPUBKEYNOTMATCH: (.network, .untrustedCertificate)
    case CCURL_SSL_CERTPROBLEM: (.network, .rejectedClientCertificate)
    // Versions such as 7.74 have less room for the head of a request than `maximumHeadByteCount`.
    case CCURL_OUT_OF_MEMORY where request.headByteCount > 100_000: (.client, .requestTooLarge)
    // "Out of memory" is what it calls a line that its own buffers have no room for: 100 KiB in a head.
    case CCURL_TOO_LARGE, CCURL_OUT_OF_MEMORY: (.network, .responseTooLarge)
    default: (.network, .connectionLost)
    }
  }
}
