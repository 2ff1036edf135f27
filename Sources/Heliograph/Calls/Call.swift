public import Foundation
import Signals

/// A request as an object: a request with its state and result, which can be started repeatedly.
///
/// Subclasses override the members that their request needs; the others have defaults.
///
/// ```swift
/// nonisolated final class OrderCall: Call<Order> {
///   let number: Int
///   init(number: Int, client: NetworkClient) {
///     self.number = number
///     super.init(client: client)
///   }
///   override var path: RequestPath { "/orders/\(number)" }
/// }
/// OrderCall(number: 7, client: client).start(for: self) { model, call in model.order = call.value }
/// ```
/// ``NetworkClient/call(_:as:in:)-(RequestConvertible,_,_)`` creates a call without a subclass. A call sends its
/// request by ``NetworkClient/enqueue(request:resultType:)-(RequestConvertible,_)``.
///
/// Overridden members of the request are read on the thread that starts the call or retries it, so they may use only
/// constants. ``willSucceed(with:)`` runs in the background, and so does ``willFail(with:)`` once the request has been
/// sent, with the exceptions that it names; ``didSucceed()`` and ``didFail()`` run on the main actor.
@MainActor
open class Call<Value: Decodable & Sendable>: StartableObject, Startable, RequestConvertible {
  /// The client that sends the request.
  public nonisolated let client: NetworkClient
  /// The lane in which the call waits, with the priority of its request; `nil` for none.
  public nonisolated let lane: Lane?
  private nonisolated let givenRequest: (any RequestConvertible)?
  private nonisolated let received = Guarded(Received<Value>())

  /// Creates a call.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - lane: The lane in which the call waits for others. A call that the lane replaces or drops is cancelled.
  ///     Default: none.
  public nonisolated init(client: NetworkClient, lane: Lane? = nil) {
    self.client = client
    self.lane = lane
    givenRequest = nil
    super.init(in: client.scope.parts.calls)
  }

  nonisolated init(_ request: some RequestConvertible, client: NetworkClient, lane: Lane?) {
    self.client = client
    self.lane = lane
    givenRequest = request
    super.init(in: client.scope.parts.calls)
  }

  /// The path below the base URL, or an absolute URL.
  ///
  /// Default: empty, the base URL.
  open nonisolated var path: RequestPath { "" }
  /// The HTTP method.
  ///
  /// Default: `GET`.
  open nonisolated var method: HTTPMethod { .get }
  /// The service to which the request is sent.
  ///
  /// Default: none.
  open nonisolated var service: ServiceID? { nil }
  /// The parameters added to the query, whatever the method.
  ///
  /// Default: none.
  open nonisolated var query: Parameters { Parameters() }
  /// The parameters sent in the query or in the body.
  ///
  /// Default: none.
  open nonisolated var parameters: Parameters { Parameters() }
  /// The header fields of the request.
  ///
  /// Default: none.
  open nonisolated var headers: HTTPHeaders { [:] }
  /// The content that is sent.
  ///
  /// Default: encoded from the parameters.
  open nonisolated var body: RequestBody { .empty }
  /// The settings that override those of the service and the client.
  ///
  /// Default: none.
  open nonisolated var options: RequestOptions { RequestOptions() }

  /// Returns the request built from these members, or the one with which the call was created.
  ///
  /// - Throws: A `client` error if no request can be created.
  open nonisolated func asRequest() throws(NetworkError) -> Request {
    if let givenRequest { return try givenRequest.asRequest() }
    return Request(
      method, path, service: service, query: query, parameters: parameters, headers: headers, body: body,
      options: options)
  }

  /// Runs in the background for each response, before ``didUpdate()`` or ``didSucceed()``; also for a cached one.
  ///
  /// Set the account or the environment in ``didSucceed()``, not here: the call would fail with
  /// ``NetworkError/Code/contextChanged``.
  ///
  /// Default: no action.
  /// - Parameter response: The response.
  open nonisolated func willSucceed(with response: Response<Value>) {}

  /// Runs in the background for a failure, before ``didFail()``.
  ///
  /// If nothing was sent, as for an invalid URL, it runs on the thread that starts the call; after a change of the
  /// account or environment, on the thread that makes the change, or on the main actor if ``willSucceed(with:)`` has
  /// run and the response is dropped. A failure that is replaced there by ``NetworkError/Code/contextChanged`` has
  /// already run it.
  ///
  /// Default: no action.
  /// - Parameter error: The failure.
  open override nonisolated func willFail(with error: NetworkError) {}

  /// Runs on the main actor for the cached response of ``CachePolicy/cacheThenNetwork``, before the delegate and
  /// closures.
  ///
  /// Default: no action.
  open override func didUpdate() {}

  /// Runs on the main actor after success, before the delegate and closures; ``value`` is `nil` after a 304.
  ///
  /// Default: no action.
  open override func didSucceed() {}

  /// Runs on the main actor after a failure, before the delegate and closures.
  ///
  /// Default: no action.
  open override func didFail() {}

  override nonisolated func reset(_ id: RequestID) { update(id) { $0 = Received() } }

  /// Returns the request of one run as a signal, which sends a value for each preliminary response.
  override nonisolated func work(_ id: RequestID, in scope: ClientScope?) -> Signal<Void, NetworkError> {
    let latest = Guarded(Received<Value>())
    // A call in a lane belongs to the account at its start, not at the end of its wait.
    var scope = (scope ?? client.scope).bound
    // It starts on the thread on which another one ends.
    if lane != nil { scope.startsInBackground = false }
    let source = scope.interpret(
      self, id: id,
      onReading: { [self] step in
        guard case .began(let raw) = step else { return }
        latest.set(Received(raw: raw))
        update(id) { $0.raw = raw }
      },
      { response, reader, observer in reader.read(Value.self, from: response, into: observer) })
    let responses = source.signal.map { response in
      let new = Received(raw: latest.withLock { $0.raw }, response: response.typed(as: Value.self))
      latest.set(new)
      return new
    }
    // Sent also after a 304 or an empty list: a call that joins another one learns of the response only by a value.
    let ending = Signal<Received<Value>, NetworkError>.deferred {
      let last = latest.withLock { $0 }
      return last.response == nil ? .just(last) : .empty
    }
    // After the lane, because a call that joins another call shares the responses.
    let recorded = queued(responses.concat(ending), scope).on(
      value: { [self] new in
        guard let response = new.response else { return update(id) { $0.raw = new.raw } }
        update(id) { $0 = new }
        willSucceed(with: response)
      },
      failure: { [self] error in
        update(id) { $0.raw = error.ownAttempt.response }
        if !error.isCancelled { willFail(with: error) }
      })
    return recorded.filter { $0.response?.isPreliminary == true }.map { _ in }
  }

  override nonisolated var namingRequest: (any RequestConvertible)? { givenRequest ?? self }

  override nonisolated func takeStaleFailure(
    _ id: RequestID, replacing error: NetworkError? = nil
  ) -> NetworkError? {
    let stale = received.withLock { $0 }.staleFailure
    guard let failure = error.map(\.staleFailure) ?? stale else { return nil }
    update(id) { $0 = Received() }
    return client.scope.withAppMessage(failure, for: self)
  }

  private nonisolated func queued(
    _ signal: Signal<Received<Value>, NetworkError>, _ scope: ClientScope
  ) -> Signal<Received<Value>, NetworkError> {
    guard let lane else { return signal }
    guard let request = try? asRequest() else { return scope.queued(signal, in: lane, for: self) }
    return scope.queued(signal, in: lane, priority: request.options.priority, for: request)
  }

  /// Updates the received data; without effect once the run has ended, because another one may have begun.
  private nonisolated func update(_ id: RequestID, _ update: (inout Received<Value>) -> Void) {
    received.discardWithLock { received in
      let previous = received
      // Inside the lock: the next run resets the received data after it has become the current one.
      if isCurrent(id) { update(&received) }
      return previous
    }
  }
}

/// The data received in a call's latest run.
struct Received<Value: Sendable>: Sendable {
  var raw: Response<Data>?
  var response: Response<Value>?

  /// The failure after the identity has changed; a 304 and an empty list have no response.
  var staleFailure: NetworkError? { response?.staleFailure ?? raw?.staleFailure }
}

extension Call {
  /// The response of the latest run; `nil` before it has arrived.
  ///
  /// After a failure it is the preliminary cached response, if any.
  public nonisolated var response: Response<Value>? { received.withLock { $0.response } }
  /// The value of the response.
  public nonisolated var value: Value? { response?.value }
  /// The response as received, before decoding; also after a failure.
  public nonisolated var rawResponse: Response<Data>? { received.withLock { $0.raw } }
  /// The request as sent; `nil` before a response or a failure.
  ///
  /// After a failed token refresh, the request and the response are the call's own, and `error` is that of the refresh.
  public nonisolated var request: HTTPRequest? { rawResponse?.request ?? error?.ownAttempt.request }
  /// The status code of the response, such as 200.
  public nonisolated var statusCode: Int? { rawResponse?.statusCode }
  /// The header fields of the response; empty before it has arrived.
  public nonisolated var responseHeaders: HTTPHeaders { rawResponse?.headers ?? [:] }
  /// The body of the response: of one that was cut off what was received, of one that was too long its first 64 KiB.
  public nonisolated var data: Data? { rawResponse?.value }
  /// The body of the response as text; `nil` if it is not UTF-8.
  public nonisolated var text: String? { data.flatMap { String(data: $0, encoding: .utf8) } }
  /// The body of the response as JSON; `nil` if it is not valid JSON.
  ///
  /// Complexity: O(length) at each access.
  public nonisolated var json: JSON? { data.flatMap { try? JSON(data: $0) } }

  /// Starts the call and waits for its response.
  ///
  /// - Returns: The response.
  /// - Throws: The failure; ``NetworkError/Code/cancelled`` if the task or the call is cancelled;
  ///   ``NetworkError/Code/alreadyStarted`` while another run is in flight; the code `.status(304)` after a 304, and
  ///   ``NetworkError/Code/unexpectedShape`` after an empty list of values.
  public nonisolated func send() async throws(NetworkError) -> Response<Value> {
    let latest: Received<Value>?
    // A hook that has the result may change the identity, such as by signing in; the result remains.
    let wasStale = Once()
    do throws(NetworkError) {
      latest = try await client.scope.first { scope in
        result(in: scope) { call in call.received.withLock { $0 } }.on(
          value: { if $0.staleFailure != nil { wasStale.claim() } },
          failure: { if $0.staleFailure != nil { wasStale.claim() } })
      }
    } catch {
      // The request itself has not failed.
      if error.code == .alreadyStarted { throw client.scope.withAppMessage(error, for: self) }
      throw wasStale.isClaimed ? error : client.scope.delivered(error, for: self)
    }
    let raw = latest?.raw
    // The identity may have changed while the actor of the caller was busy.
    if !wasStale.isClaimed, let failure = latest?.staleFailure {
      throw client.scope.withAppMessage(failure, for: self)
    }
    if let response = latest?.response { return response }
    let failure = NetworkError(
      raw?.statusCode == 304 ? .status(304) : .unexpectedShape, reason: "the call completed without a value",
      request: raw?.request, response: raw)
    throw client.scope.withAppMessage(failure, for: self)
  }
}

extension NetworkError {
  /// The attempt of the call's own request: after a failed refresh, the one that needed the refresh.
  fileprivate var ownAttempt: FailedAttempt { marks.attemptBeforeRefresh ?? FailedAttempt(self) }
}
