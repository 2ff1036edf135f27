#if canImport(FoundationNetworking)
package import Foundation
package import FoundationNetworking

/// Workarounds for Foundation's own client on Linux.
extension SessionDelegate {
  /// Returns whether a head is held back until the body or the end of its response.
  func isPreliminary(_ response: URLResponse, of task: URLSessionTask) -> Bool {
    // Foundation forwards every head that its libcurl reads: interim ones, and a proxy's to `CONNECT`. The last one
    // belongs to the response.
    guard let response = response as? HTTPURLResponse else { return false }
    let isInterim = (100..<200).contains(response.statusCode) && response.statusCode != 101
    return isInterim || SessionDelegate.mayBeTunnelled(task.currentRequest?.url)
  }

  /// Returns whether libcurl may connect through a proxy named by an environment variable.
  private static func mayBeTunnelled(_ url: URL?) -> Bool {
    guard url?.scheme?.lowercased() == "https" else { return false }
    let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    return names.contains { getenv($0).map { $0.pointee != 0 } ?? false }
  }

  /// Fails an exchange whose body would have to be sent again, because the server has closed a keep-alive connection;
  /// without a new stream libcurl would send the head on a new connection, and no body.
  package func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(nil)
    // Asynchronously: a cancellation waits for the task's own thread, so cancelling from that thread would deadlock.
    session.delegateQueue.addOperation {
      self.fail(task, .connectionLost, "the server closed the connection, and the body would have to be sent again")
    }
  }

  /// Returns the code of a failure, which may be that of an earlier attempt to connect to another address of the host.
  func code(_ code: NetworkError.Code, of task: URLSessionTask) -> NetworkError.Code {
    // libcurl's unsupported protocol is that of the status line: a client sends only http and https.
    if code == .network(-1002) { return .invalidResponse }
    // Without a head, Foundation calls a connection that was closed a bad response.
    if [.cannotConnect, .invalidResponse].contains(code) {
      let hasHead = exchanges.record(task)?.hasHead == true
      return hasHead == (code == .cannotConnect) ? .connectionLost : code
    }
    // Foundation's "unknown" of a body that is shorter than its length.
    let isCut = code == .network(-1) && exchanges.record(task)?.truncation(of: task.response) != nil
    return isCut ? .connectionLost : code
  }
}
#endif
