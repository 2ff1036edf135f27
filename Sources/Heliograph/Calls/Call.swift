public import Foundation
import Signals

/// An API as an object: a request with its state and its result, which may be started again and again.
///
/// A call of your own overrides what its request needs; the other members have defaults.
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
/// ``NetworkClient/call(_:as:in:)-(RequestConvertible,_,_)`` makes one without a class. A call sends the same request as a signal: it uses
/// ``NetworkClient/enqueue(request:resultType:)-(RequestConvertible,_)``.
///
/// Overridden members of the request are read on the thread that starts the call or retries it, so they may use constants
/// only. ``willSucceed(with:)`` runs in the background, and so does ``willFail(with:)`` once the request has been sent;
/// ``didSucceed()`` and ``didFail()`` run on the main actor.
@MainActor
open class Call<Value: Decodable & Sendable>: StartableObject, Startable, RequestConvertible {
  /// The client that sends the request.
  public nonisolated let client: NetworkClient
  /// The lane in which the call waits for others, with the priority of its request; `nil` means that it does not wait.
  public nonisolated let lane: Lane?
  private nonisolated let described: (any RequestConvertible)?
  private nonisolated let received = Guarded(Received<Value>())

  /// Creates a call.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - lane: The lane in which it waits for others. A call that is replaced or dropped there is cancelled. Default: none.
  public nonisolated init(client: NetworkClient, lane: Lane? = nil) {
    self.client = client
    self.lane = lane
    described = nil
    super.init(Execution(in: client.scope.parts.calls))
  }

  /// Creates a call of a request.
  nonisolated init(_ request: some RequestConvertible, client: NetworkClient, lane: Lane?) {
    self.client = client
    self.lane = lane
    described = request
    super.init(Execution(in: client.scope.parts.calls))
  }

  /// The path below the base URL, or an absolute URL.
  ///
  /// Default: empty, the base URL.
  open nonisolated var path: RequestPath { "" }
  /// The method.
  ///
  /// Default: `GET`.
  open nonisolated var method: HTTPMethod { .get }
  /// The service.
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
  /// The header fields.
  ///
  /// Default: none.
  open nonisolated var headers: HTTPHeaders { [:] }
  /// The body.
  ///
  /// Default: the body made from the parameters.
  open nonisolated var body: RequestBody { .empty }
  /// The settings that override those of the service and the client.
  ///
  /// Default: none.
  open nonisolated var options: RequestOptions { RequestOptions() }

  /// Returns the request with these members, or the one with which the call was created.
  ///
  /// - Throws: A `client` error if no request can be made of it.
  open nonisolated func asRequest() throws(NetworkError) -> Request {
    if let described { return try described.asRequest() }
    return Request(
      method, path, service: service, query: query, parameters: parameters, headers: headers, body: body,
      options: options)
  }

  /// Runs in the background for each response, before ``didUpdate()`` or ``didSucceed()``; also for a cached one.
  ///
  /// Default: no action.
  /// - Parameter response: The response.
  open nonisolated func willSucceed(with response: Response<Value>) {}

  /// Runs in the background for a failure, before ``didFail()``.
  ///
  /// For a failure before anything is sent, such as an invalid URL, it runs on the thread that starts the call, and for a
  /// changed account or environment on the thread that changes it.
  ///
  /// Default: no action.
  /// - Parameter error: The failure.
  open nonisolated func willFail(with error: NetworkError) {}

  /// Runs on the main actor for the cached response of ``CachePolicy/cacheThenNetwork``, before the delegate and closures.
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

  /// Returns the request of one run as a signal: a value for a response that another one follows.
  override nonisolated func work(_ id: RequestID) -> Signal<Void, NetworkError> {
    change(id) { $0 = Received() }
    let latest = CurrentValue<Response<Data>?>(nil)
    let responses: Signal<Response<Value>, NetworkError> = client.scope.interpret(
      self, id: id,
      note: { [self] raw in
        guard let raw else { return }
        latest.value = raw
        change(id) { $0.raw = raw }
      },
      { response, reader, observer in reader.read(Value.self, from: response, into: observer) })
    // Behind the lane, because a call that joins another one shares its responses.
    let noted = queued(responses.map { Received(raw: latest.value, response: $0) }).on(
      value: { [self] new in
        change(id) { $0 = new }
        if let response = new.response { willSucceed(with: response) }
      },
      failure: { [self] error in
        change(id) { $0.raw = error.response }
        if !error.isCancelled { willFail(with: error) }
      })
    return noted.filter { $0.response?.isPreliminary == true }.map { _ in }
  }

  override nonisolated func takeStaleFailure(_ id: RequestID) -> NetworkError? {
    guard let failure = received.withLock({ $0.response })?.identity?.staleFailure else { return nil }
    change(id) { $0 = Received() }
    return client.scope.worded(failure, for: self)
  }

  /// Returns the request in its lane, if there is one.
  private nonisolated func queued(
    _ signal: Signal<Received<Value>, NetworkError>
  ) -> Signal<Received<Value>, NetworkError> {
    guard let lane else { return signal }
    let priority = (try? asRequest())?.options.priority ?? .normal
    return lane.enqueue(signal, priority: priority, replaced: .cancellation)
  }

  /// Changes what was received, and releases the former outside the lock.
  ///
  /// It has no effect once the run has ended: another one may have begun.
  private nonisolated func change(_ id: RequestID, _ change: (inout Received<Value>) -> Void) {
    let former = received.withLock { received in
      let former = received
      // inside the lock: the next run resets what was received after it has become the current one.
      if execution.isCurrent(id) { change(&received) }
      return former
    }
    withExtendedLifetime(former) {}
  }
}

/// What a call has received in its latest run.
struct Received<Value: Sendable>: Sendable {
  var raw: Response<Data>?
  var response: Response<Value>?
}

extension Call {
  /// The response of the latest run; `nil` before it is there.
  ///
  /// After a failure it is the cached response that came before, if any.
  public nonisolated var response: Response<Value>? { received.withLock { $0.response } }
  /// The value of the response.
  public nonisolated var value: Value? { response?.value }
  /// The response as received, before it was decoded; also that of a failure.
  public nonisolated var rawResponse: Response<Data>? { received.withLock { $0.raw } }
  /// The request as sent; `nil` before there is a response or a failure.
  public nonisolated var request: HTTPRequest? { rawResponse?.request ?? error?.request }
  /// The status code of the response, such as 200.
  public nonisolated var statusCode: Int? { rawResponse?.statusCode }
  /// The header fields of the response.
  public nonisolated var responseHeaders: HTTPHeaders { rawResponse?.headers ?? [:] }
  /// The body of the response; after a failure at most its first 64 KiB.
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
  ///   ``NetworkError/Code/alreadyStarted`` while another run is in flight; the code 304 if the response is one.
  public nonisolated func send() async throws(NetworkError) -> Response<Value> {
    guard let response = try await client.scope.first({ _ in result { $0.response }.compactMap { $0 } }) else {
      throw NetworkError(.status(304), reason: "the call completed without a value", response: rawResponse)
    }
    return response
  }
}

extension NetworkClient {
  /// Returns a call of a request, which sends nothing before it is started.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  ///   - lane: The lane in which it waits for others. Default: none.
  /// - Returns: The call.
  public func call<Value: Decodable & Sendable>(
    _ request: some RequestConvertible, as type: Value.Type, in lane: Lane? = nil
  ) -> Call<Value> {
    Call(request, client: self, lane: lane)
  }

  /// Returns a call of a request, which may be a text literal; see ``call(_:as:in:)-(RequestConvertible,_,_)``.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  ///   - lane: The lane in which it waits for others. Default: none.
  /// - Returns: The call.
  public func call<Value: Decodable & Sendable>(
    _ request: Request, as type: Value.Type, in lane: Lane? = nil
  ) -> Call<Value> {
    Call(request, client: self, lane: lane)
  }

  /// Returns a call of a typed request, which sends nothing before it is started.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - lane: The lane in which it waits for others. Default: none.
  /// - Returns: The call.
  public func call<Value: Decodable & Sendable>(
    _ request: some RequestConvertible<Value>, in lane: Lane? = nil
  ) -> Call<Value> {
    Call(request, client: self, lane: lane)
  }

  /// The identifiers of the calls in flight, in the order in which they were started; those of a batch or a chain too.
  ///
  /// Complexity: O(n log n).
  public var callIDs: [RequestID] { scope.parts.calls.ids }

  /// Cancels calls by their identifiers, from any thread.
  ///
  /// An identifier that is unknown, or whose run has ended, has no effect.
  /// - Parameter ids: The identifiers of the runs; see ``StartableObject/id``.
  public func cancelCalls(_ ids: some Sequence<RequestID>) { for id in ids { scope.parts.calls.cancel(id) } }

  /// Cancels all calls in flight, from any thread; calls that are started meanwhile continue.
  public func cancelAllCalls() { cancelCalls(callIDs) }
}
