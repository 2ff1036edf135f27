import Foundation
import Signals

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Security)
import Security
#endif

/// Brings what a session reports to the observer of each task.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  typealias TaskObserver = Observer<TransportEvent, NetworkError>

  let exchanges = SessionExchanges()

  #if canImport(Security)
  let trust: SessionTrust?

  /// - Throws: a `client` error if the trust cannot be done.
  init(_ trust: Trust, for configuration: URLSessionConfiguration) throws(NetworkError) {
    self.trust = try SessionTrust(trust)
    let version: tls_protocol_version_t = trust.minimumTLSVersion == .tls13 ? .TLSv13 : .TLSv12
    if configuration.tlsMinimumSupportedProtocolVersion.rawValue < version.rawValue {
      configuration.tlsMinimumSupportedProtocolVersion = version
    }
  }

  override init() { trust = nil }
  #else
  override init() {}

  /// - Throws: a `client` error unless the trust is the system's.
  convenience init(_ trust: Trust, for configuration: URLSessionConfiguration) throws(NetworkError) {
    guard trust == Trust() else {
      throw NetworkError(
        .client, .invalidTransport, reason: "URLSession on Linux trusts what the system does: use CurlTransport")
    }
    self.init()
  }
  #endif

  /// Ends an exchange with an error, and its task with it: else it would load on, with nobody to hear of it.
  func fail(
    _ task: URLSessionTask, _ code: NetworkError.Code, _ reason: String, _ underlying: (any Error)? = nil
  ) {
    guard let exchange = exchanges.remove(task) else { return }
    if underlying == nil { task.cancel() }
    exchange.observer.fail(
      NetworkError(.network, code, reason: reason, metrics: exchange.metrics, underlying: underlying))
  }

  /// The header fields; those that a session has joined are separated where joining them has changed what they say.
  private static func fields(of response: HTTPURLResponse) -> [HTTPHeaders.Field] {
    response.allHeaderFields.flatMap { key, value in
      // They are strings; to describe what may be anything costs ten times as much.
      let name = key.base as? String ?? String(describing: key)
      let value = value as? String ?? String(describing: value)
      let values = name.isEqualIgnoringCase(to: "Set-Cookie") ? SetCookie.separated(value) : [value]
      return values.map { HTTPHeaders.Field(name: name, value: $0) }
    }
  }

  /// The observer of a task, once it has been sent the head; `nil` if nobody listens or there is no head to send.
  ///
  /// A head is due with the response, but on Linux nothing is reported of a 3xx before its body or its end.
  private func observer(
    of task: URLSessionTask, responding response: URLResponse?, receivedByteCount: Int = 0
  ) -> TaskObserver? {
    guard let exchange = exchanges.note(task, receivedByteCount: receivedByteCount, isHead: true) else { return nil }
    guard !exchange.hasHead else { return exchange.observer }
    guard let response = response as? HTTPURLResponse, let url = response.url ?? task.currentRequest?.url else {
      fail(task, .invalidResponse, "what came was no HTTP response")
      return nil
    }
    let fields = SessionDelegate.fields(of: response)
    let limit = exchange.request.limits.headerByteCount
    guard fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) <= limit else {
      fail(task, .responseTooLarge, "the head is longer than \(limit) bytes")
      return nil
    }
    exchange.observer.send(.head(HTTPResponse(statusCode: response.statusCode, headers: HTTPHeaders(fields), url: url)))
    return exchange.observer
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(observer(of: dataTask, responding: response) == nil ? .cancel : .allow)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    guard totalBytesSent > 0, let exchange = exchanges.note(task) else { return }
    exchange.observer.send(.sent(byteCount: Int(clamping: totalBytesSent)))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let observer = observer(of: dataTask, responding: dataTask.response, receivedByteCount: data.count) else {
      return
    }
    observer.send(.body(data))
    #if !canImport(FoundationNetworking)
    exchanges.pauseIfAhead(dataTask, observer.pressure)
    #endif
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let error else {
      if observer(of: task, responding: task.response) != nil, let exchange = exchanges.remove(task) {
        exchange.observer.complete(with: .metrics(exchange.metrics))
      }
      return
    }
    #if canImport(FoundationNetworking)
    let reason = error.localizedDescription
    #else
    // The system's own text is in the device's language.
    let reason = "\((error as NSError).domain) \((error as NSError).code)"
    #endif
    fail(task, NetworkError.Code(urlLoading: error), reason, error)
  }

  /// What the system has measured, shortly before the end; on Linux it does not measure.
  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    _ = exchanges.update(task) { $0.measurement = SessionMeasurement(metrics) }
  }

  /// Redirects are answers; see `RedirectingTransport`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    #if canImport(FoundationNetworking)
    // Foundation ends the process if it is answered after it has stopped the task. An answer is a block on the task's queue, and
    // whoever cancels removes the exchange first: so the answer comes before the stop, or not at all.
    exchanges.whileInFlight(task) { completionHandler(nil) }
    #else
    completionHandler(nil)
    #endif
  }
}
