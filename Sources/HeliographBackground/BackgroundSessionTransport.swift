#if canImport(Darwin)
import Foundation
public import Heliograph

/// A transport over a background session of `URLSession`, whose transfers continue while the app is suspended.
///
/// ```swift
/// let transport = BackgroundSessionTransport(identifier: "com.example.transfers")
/// let transfers = NetworkClient(.init(baseURL: apiURL, transport: transport))
/// let film = transfers.download(request: "/film", to: file)
/// ```
/// It exists on Apple's platforms only. **Type-checked, but not yet run.** Use it for transfers, and a second
/// client with `URLSessionTransport` for everything else.
///
/// A request without a body is a download task: its response is delivered when the file is complete, its progress until
/// then, and back-pressure pauses the reading of the file. A request with a body is an upload task from a file, into
/// which data and streams are written first; its response is delivered as it arrives, without pauses.
///
/// After a relaunch the app sends its requests again. Two requests are the same if their method, URL, `Range`, body,
/// account and environment are equal. A client without ``NetworkClient/Configuration/account`` also compares the
/// credentials among the header fields, so that no user gets the response of another; a refreshed token then makes
/// another request. In the URL the fields that the service's `HMACSigner` adds to the query and the service's
/// `ignoredParameters` are not compared; a form is compared with all its fields. If the task of an earlier process is
/// in flight, it is adopted. If the task has succeeded, its response was stored and is delivered without a network. A
/// stored response remains in Application Support or in the app group's container, on Apple TV in a folder of caches,
/// until it has been delivered or until a launch seven days later; responses to uploads are stored only up to 1 MiB. A
/// stored response may be outdated, and a repeated `POST` receives the response to the first one. A multipart body is
/// recognized only if its `boundary` is set, because the default one is different in each process.
///
/// A request that is not sent again cannot be cancelled: after a sign-out, a task of an earlier process goes on with
/// the credentials of its request, and its response is stored as above.
///
/// Differences from `URLSessionTransport`:
/// - The system follows redirects itself, to any origin and with the header fields of the request. `RedirectPolicy` and
///   the cookies of redirects do not apply. Requests that such a redirect could leak therefore fail with
///   `redirectRefused`: those with a secret header field, and those with a body unless `sendsBodyAcrossOrigins` is
///   `true`; see `trustsRedirects`.
/// - The system waits for a network, and resends after failures. The idle timeout does not apply; after seven days the
///   task fails. A total timeout is measured only while the process runs.
/// - A download that failed is resumed when its request is sent again, if the system has provided resume data, the URL
///   is identical, and the request has no `Range` and no signature in its header fields. If the system cannot use the
///   data, or the response to the rest is not a success, it starts over. A success is delivered as a 200 with the
///   entire file.
/// - When the user quits the app, the system cancels its transfers.
///
/// Events are delivered on the session's serial queue and on the global concurrent queue. Disposal cancels the task.
/// Errors are those of `URLSessionTransport`, `redirectRefused`, and `invalidTransport` if a stored response cannot be
/// read.
public struct BackgroundSessionTransport: Transport {
  private let session: BackgroundSession
  private let trustsRedirects: Bool

  /// Creates a transport, and the session if the process does not have it yet.
  ///
  /// The session lives as long as the process. Further transports with the same identifier share it, with the settings
  /// of the first one. If the system has invalidated it, requests fail with `invalidTransport`; create a new transport
  /// then.
  /// - Parameters:
  ///   - identifier: The identifier of the session, the same in every process and different in each app extension. If
  ///     it is empty, every request fails with `invalidTransport`.
  ///   - sharedContainerIdentifier: The app group whose container holds the files. An app extension must name one, and
  ///     its app the same one; otherwise every request fails with `invalidTransport`. Default: `nil`, none.
  ///   - isDiscretionary: Whether the system chooses the time of the transfers, such as while the device charges.
  ///     Default: `false`.
  ///   - trustsRedirects: Whether secret header fields and bodies are sent although the system could follow a redirect
  ///     with them to another origin. Default: `false`.
  ///   - trust: The trusted servers. With a client certificate, which the system's process for background transfers
  ///     cannot use, every request fails with `invalidTransport`. Default: the system's trust.
  public init(
    identifier: String, sharedContainerIdentifier: String? = nil, isDiscretionary: Bool = false,
    trustsRedirects: Bool = false, trust: Trust = Trust()
  ) {
    self.trustsRedirects = trustsRedirects
    session = BackgroundSession.shared(
      identifier, group: sharedContainerIdentifier, isDiscretionary: isDiscretionary, trust: trust)
  }

  /// Sends the request as a task of the session, or adopts the task of an earlier process.
  ///
  /// - Parameter request: The request to send. A body in a file is read once before it is sent.
  /// - Returns: A signal of the exchange, with the errors of the transport.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    do throws(NetworkError) {
      if let refusal = session.refusal { throw refusal }
      try request.validateForURLSession()
      if !trustsRedirects { try request.checkRedirectSafety() }
      let start: @Sendable (HTTPRequest) -> Signal<TransportEvent, NetworkError> = { [session] in session.send($0) }
      return request.needsDeadline ? request.limited(start) : start(request)
    } catch {
      return .fail(error.attaching(request))
    }
  }

  /// Calls a handler on the main actor when the events of a session have been delivered.
  ///
  /// Call it in `application(_:handleEventsForBackgroundURLSession:completionHandler:)` of the app's delegate, before
  /// or after the transport is created. The app must also create the transport at launch.
  /// - Parameters:
  ///   - identifier: The identifier of the session.
  ///   - completionHandler: The system's handler; called once.
  @MainActor public static func handleEvents(
    forSession identifier: String, completionHandler: @escaping () -> Void
  ) {
    let handler = BackgroundHandler(completionHandler)
    BackgroundSession.events.update(identifier) { $0.add(handler) }
    if BackgroundSession.isRefused(identifier) { BackgroundSession.events.update(identifier) { $0.finish() } }
  }

  /// Returns when the events of a session have been delivered, or when the task is cancelled.
  ///
  /// For SwiftUI:
  /// `.backgroundTask(.urlSession("…")) { await BackgroundSessionTransport.handleEvents(forSession: "…") }`.
  /// - Parameter identifier: The identifier of the session.
  @MainActor public static func handleEvents(forSession identifier: String) async {
    if Task.isCancelled { return }
    let hasEnded = CurrentValue(false)
    handleEvents(forSession: identifier) { hasEnded.value = true }
    _ = await hasEnded.signal.filter { $0 }.first()
  }
}

extension BackgroundSession {
  /// Returns the exchange of a request; a body that is not a file is first written to one.
  fileprivate func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    switch request.body {
    case .stream(let stream): spool(request, stream)
    case .data(let data) where !data.isEmpty:
      spool(request, BodyStream(byteCount: data.count) { BodyStream.pieces(of: [data]) })
    default:
      Signal.deferred { self.exchange(request, isSpooled: false) }.subscribe(on: .global)
    }
  }

  private func spool(_ request: HTTPRequest, _ stream: BodyStream) -> Signal<TransportEvent, NetworkError> {
    // If this fails, writing the file reports the error.
    try? responses.create()
    return SpooledBody(request, stream, in: responses.folder).exchange { self.exchange($0, isSpooled: true) }
  }

  /// Returns the exchange of a request; the key is computed from the whole body, on the calling thread.
  private func exchange(_ request: HTTPRequest, isSpooled: Bool) -> Signal<TransportEvent, NetworkError> {
    do throws(NetworkError) {
      var fileName: String?
      if isSpooled, case .file(let url) = request.body { fileName = url.lastPathComponent }
      return exchange(request, BackgroundTaskDescription(key: try request.backgroundKey(), fileName: fileName))
    } catch {
      return .fail(error)
    }
  }
}
#endif
