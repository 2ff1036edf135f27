import Foundation

extension Proxy {
  /// Whether the proxy is on this machine.
  ///
  /// Whether requests can reach a server then depends on the proxy.
  var isLocal: Bool {
    switch self {
    case .direct: return false
    case .server(let url, _, _, _): return url.isLocal
    case .environment:
      let environment = ProcessInfo.processInfo.environment
      return ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { name in
        guard let text = environment[name], !text.isEmpty else { return false }
        // The scheme is optional here.
        return URL(string: text.contains("://") ? text : "http://" + text)?.isLocal == true
      }
    }
  }
}
