package import Foundation
package import Signals

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif
#if canImport(Security)
import Security
#endif

/// A delegate that forwards the events of a session to the observer of each task.
package final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  package typealias TaskObserver = Observer<TransportEvent, NetworkError>

  package let exchanges = SessionExchanges()

  #if canImport(Security)
  let trust: SessionTrust?

  /// Creates the delegate, and sets the minimum TLS version of the configuration.
  package init(_ trust: Trust, for configuration: URLSessionConfiguration) throws(NetworkError) {
    self.trust = try SessionTrust(trust)
    let version: tls_protocol_version_t = trust.minimumTLSVersion == .tls13 ? .TLSv13 : .TLSv12
    if configuration.tlsMinimumSupportedProtocolVersion.rawValue < version.rawValue {
      configuration.tlsMinimumSupportedProtocolVersion = version
    }
  }

  package override init() { trust = nil }
  #else
  package override init() {}

  package convenience init(_ trust: Trust, for configuration: URLSessionConfiguration) throws(NetworkError) {
    guard trust == Trust() else {
      throw NetworkError(
        .invalidTransport, reason: "custom trust is not supported by URLSession on Linux: use CurlTransport")
    }
    self.init()
  }
  #endif

  /// Fails an exchange and cancels its task, which would otherwise keep loading without an observer.
  package func fail(
    _ task: URLSessionTask, _ code: NetworkError.Code, _ reason: String, _ underlying: (any Error)? = nil
  ) {
    guard let exchange = exchanges.remove(task) else { return }
    if underlying == nil { task.cancel() }
    exchange.observer.fail(
      NetworkError(
        code, reason: reason, request: exchange.request, metrics: exchange.metrics, underlying: underlying
      ).attributingProxies(by: underlying))
  }

  /// Returns the header fields; `Set-Cookie` fields that the session has joined are separated again, and of two
  /// equal `Location` fields one is left.
  private static func fields(of response: HTTPURLResponse) -> [HTTPHeaders.Field] {
    response.allHeaderFields.flatMap { key, value in
      // The keys are strings; describing a value of type `Any` costs ten times as much.
      let name = key.base as? String ?? String(describing: key)
      let value = value as? String ?? String(describing: value)
      let values =
        name.isEqualIgnoringCase(to: "Set-Cookie")
        ? SetCookie.separated(value) : [name.isEqualIgnoringCase(to: "Location") ? value.halvedList : value]
      #if canImport(FoundationNetworking)
      return values.map { HTTPHeaders.Field(name: name, value: $0) }
      #else
      return values.map { HTTPHeaders.Field(name: name, decodedAsLatin1: $0) }
      #endif
    }
  }

  /// Returns the head of a response; `nil` if it is not an HTTP response.
  package static func head(of response: URLResponse?, for task: URLSessionTask) -> HTTPResponse? {
    guard let response = response as? HTTPURLResponse, let url = response.url ?? task.currentRequest?.url else {
      return nil
    }
    return HTTPResponse(statusCode: response.statusCode, headers: HTTPHeaders(fields(of: response)), url: url)
  }

  /// Returns the observer of a task, after delivering the head if it is due.
  ///
  /// Returns `nil` if the exchange has ended or there is no valid head. A head is due with the response, but on Linux a
  /// 3xx is reported only with its body or its end. `adjust` returns the head to deliver for a request.
  package func observer(
    of task: URLSessionTask, responding response: URLResponse?, receivedByteCount: Int = 0,
    adjust: (HTTPResponse, HTTPRequest) -> HTTPResponse = { head, _ in head }
  ) -> TaskObserver? {
    guard let exchange = exchanges.record(task, receivedByteCount: receivedByteCount, isHead: true) else { return nil }
    guard !exchange.hasHead else { return exchange.observer }
    guard let head = SessionDelegate.head(of: response, for: task) else {
      fail(task, .invalidResponse, "the response is not an HTTP response")
      return nil
    }
    let limit = exchange.request.limits.headerByteCount
    guard head.headers.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) <= limit else {
      fail(task, .responseTooLarge, "response header over the limit of \(limit) bytes")
      return nil
    }
    exchange.observer.send(.head(adjust(head, exchange.request)))
    return exchange.observer
  }

  package func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    #if canImport(FoundationNetworking)
    if isPreliminary(response, of: dataTask) {
      return completionHandler(exchanges.record(dataTask) == nil ? .cancel : .allow)
    }
    #endif
    completionHandler(observer(of: dataTask, responding: response) == nil ? .cancel : .allow)
  }

  package func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    guard totalBytesSent > 0, let exchange = exchanges.record(task) else { return }
    exchange.observer.send(.sent(byteCount: Int(clamping: totalBytesSent)))
  }

  package func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let observer = deliver(data, of: dataTask) else { return }
    #if !canImport(FoundationNetworking)
    if !exchanges.pauseAboveHighWaterMark(dataTask, observer.pressure, byteCount: data.count) {
      let limit = PausedBacklog.byteLimit
      fail(dataTask, .responseTooLarge, "the consumer is too slow: over \(limit) bytes arrived during a pause")
    }
    #endif
  }

  /// Delivers a piece of a body; returns the observer of its task, or `nil` if the exchange has ended.
  @discardableResult
  package func deliver(_ data: Data, of task: URLSessionDataTask) -> TaskObserver? {
    let observer = observer(of: task, responding: task.response, receivedByteCount: data.count)
    observer?.send(.body(data))
    return observer
  }

  package func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    #if !canImport(FoundationNetworking)
    defer { exchanges.closeBody(of: task) }
    #endif
    guard let error else {
      guard observer(of: task, responding: task.response) != nil else { return }
      if let reason = exchanges.record(task)?.truncation(of: task.response) {
        return fail(task, .connectionLost, reason)
      }
      if let reason = exchanges.record(task)?.rangeFault(of: task.response) {
        return fail(task, .undecodableBody, reason)
      }
      if let exchange = exchanges.remove(task) { exchange.observer.complete(with: .metrics(exchange.metrics)) }
      return
    }
    #if canImport(FoundationNetworking)
    fail(task, code(NetworkError.Code(urlLoading: error), of: task), error.localizedDescription, error)
    #else
    let code = NetworkError.Code(urlLoading: error)
    if code == .secureConnectionFailed, exchanges.record(task)?.isTrusted == true {
      // App Transport Security evaluates the server itself, in addition to the delegate.
      let reason = "App Transport Security rejected a certificate that the transport's own authorities accept"
      return fail(task, .untrustedCertificate, reason, error)
    }
    let unavailability = (error as? URLError)?.networkUnavailableReason?.rawValue
    fail(task, code, NetworkError.reason(ofURLLoading: error, unavailability: unavailability), error)
    #endif
  }

  /// Stores the system's measurements, shortly before the end; on Linux there are none.
  package func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    _ = exchanges.update(task) { $0.measurement = SessionMeasurement(metrics) }
  }

  /// Declines to follow a redirect, because `RedirectingTransport` follows it.
  package func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    #if canImport(FoundationNetworking)
    exchanges.refuseRedirect(of: task, completionHandler)
    #else
    completionHandler(nil)
    #endif
  }
}

extension String {
  /// One half of a list whose halves are equal; any other string is unchanged.
  fileprivate var halvedList: String {
    let parts = components(separatedBy: ", ")
    let half = parts.count / 2
    return parts[..<half] == parts[half...] ? parts[..<half].joined(separator: ", ") : self
  }
}
