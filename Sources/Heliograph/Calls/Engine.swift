import Signals

/// A group of the APIs of one business as typed methods.
///
/// An engine has a method for each API, with typed parameters. A method that starts a call returns it, so that
/// the caller may cancel it and need not keep it.
///
/// ```swift
/// struct OrderEngine: Engine {
///   let client: NetworkClient
///   private let submitting = Lane(.exclusive())
///
///   @discardableResult
///   func submit(
///     _ cart: Cart, for owner: AnyObject, then: @escaping @MainActor @Sendable (Order?, NetworkError?) -> Void
///   ) -> Call<Order> {
///     start(Request(.post, "/orders", body: .json(cart)), as: Order.self, for: owner, in: submitting, then)
///   }
/// }
/// ```
/// The view model sees neither requests nor parameters as dictionaries. A method may also return a signal, or the body as
/// received: the engine decides.
public protocol Engine: Sendable {
  /// The client that sends the requests.
  var client: NetworkClient { get }
}

extension Engine {
  /// Starts a call of a request and delivers its result on the main actor.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  ///   - owner: The object whose deallocation cancels the call; it is not retained. Default: none.
  ///   - lane: The lane in which the call waits for others. Default: none.
  ///   - onResult: Receives the value or the error; neither if the response has none, such as a 304. It does not run for a
  ///     cancelled call. With ``CachePolicy/cacheThenNetwork`` it runs twice.
  /// - Returns: The call.
  @discardableResult
  public func start<Value: Decodable & Sendable>(
    _ request: some RequestConvertible, as type: Value.Type, for owner: AnyObject? = nil, in lane: Lane? = nil,
    _ onResult: @escaping @MainActor @Sendable (Value?, NetworkError?) -> Void
  ) -> Call<Value> {
    let call = client.call(request, as: type, in: lane)
    call.start(
      for: owner, onUpdate: { onResult($0.value, nil) }, onSuccess: { onResult($0.value, nil) },
      onFailure: { onResult(nil, $0.error) })
    return call
  }
}
