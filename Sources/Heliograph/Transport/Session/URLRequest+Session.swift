#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

extension URLRequest {
  /// The maximum timeout of a task in seconds: a week, after which the system's default ends a task anyway.
  static let maximumTimeout = 604_800.0

  /// Creates the request of a task in a foreground session, which on Apple's platforms only the transport's own timers
  /// end.
  ///
  /// The system's timer may also run while a task is suspended or the source of its body is awaited, and may ignore
  /// sent data.
  init(inForeground request: HTTPRequest) {
    self.init(request)
    #if !canImport(FoundationNetworking)
    timeoutInterval = URLRequest.maximumTimeout
    #endif
  }

  package init(_ request: HTTPRequest) {
    self.init(url: request.url)
    // The transport's own, more precise timer decides; this one only guarantees that a task on Linux or in a background
    // session ends. Foundation on Linux ignores it as an argument of `init`, and traps if it exceeds an `Int` of
    // milliseconds.
    timeoutInterval = min(Double(request.idleTimeout.components.seconds), URLRequest.maximumTimeout) + 10
    httpMethod = request.method.rawValue
    #if canImport(FoundationNetworking)
    for field in request.headers { addValue(field.value.trimmedField, forHTTPHeaderField: field.name) }
    #else
    for field in request.headers { addValue(field.valueSentAsLatin1.trimmedField, forHTTPHeaderField: field.name) }
    allowsCellularAccess = request.allowedCosts.contains(.cellular)
    allowsExpensiveNetworkAccess = request.allowedCosts.contains(.expensive)
    allowsConstrainedNetworkAccess = request.allowedCosts.contains(.constrained)
    #endif
    // The session would offer all codings, and a range of an encoded body cannot be decoded.
    if request.headers["Range"] != nil, request.headers["Accept-Encoding"] == nil {
      setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
    // The session would declare a body without a type as a form.
    if request.body.byteCount != 0, request.headers["Content-Type"] == nil {
      setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    }
    // iOS fails a `GET` with a body.
    if case .data(let data) = request.body, !data.isEmpty || request.method != .get { httpBody = data }
  }
}

extension RequestPriority {
  package var ofTask: Float {
    switch self {
    case .low: URLSessionTask.lowPriority
    case .normal: URLSessionTask.defaultPriority
    case .high: URLSessionTask.highPriority
    }
  }
}
