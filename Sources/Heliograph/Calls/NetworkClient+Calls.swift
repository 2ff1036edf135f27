import Signals

extension NetworkClient {
  /// Creates a call of a request; nothing is sent before it is started.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  ///   - lane: The lane in which the call waits for others. Default: none.
  /// - Returns: The call.
  public func call<Value: Decodable & Sendable>(
    _ request: some RequestConvertible, as type: Value.Type, in lane: Lane? = nil
  ) -> Call<Value> {
    Call(request, client: self, lane: lane)
  }

  /// Creates a call of a request, which may be a string literal.
  ///
  /// The parameters are those of ``call(_:as:in:)-(RequestConvertible,_,_)``.
  public func call<Value: Decodable & Sendable>(
    _ request: Request, as type: Value.Type, in lane: Lane? = nil
  ) -> Call<Value> {
    Call(request, client: self, lane: lane)
  }

  /// Creates a call of a typed request; nothing is sent before it is started.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - lane: The lane in which the call waits for others. Default: none.
  /// - Returns: The call.
  public func call<Value: Decodable & Sendable>(
    _ request: some RequestConvertible<Value>, in lane: Lane? = nil
  ) -> Call<Value> {
    Call(request, client: self, lane: lane)
  }

  /// The identifiers of the calls in flight, in the order in which they were started; including those of batches and
  /// chains.
  ///
  /// Complexity: O(n log n).
  public var callIDs: [RequestID] { scope.parts.calls.ids }

  /// Cancels calls by their identifiers, from any thread; the call started last is cancelled first.
  ///
  /// An identifier that is unknown, or whose run has ended, has no effect.
  /// - Parameter ids: The identifiers of the runs; see ``StartableObject/id``.
  public func cancelCalls(_ ids: some Sequence<RequestID>) {
    // Because the end of a call starts the next one of its lane.
    for id in ids.sorted(by: { $0.rawValue > $1.rawValue }) { scope.parts.calls.cancel(id) }
  }

  /// Cancels all calls in flight, from any thread; calls started meanwhile continue.
  public func cancelAllCalls() { cancelCalls(callIDs) }
}
