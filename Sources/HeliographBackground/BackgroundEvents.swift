/// The handlers that wait until the events of a background session have been delivered.
///
/// The system may report the end of the events before the app has stored its handler, so the end is recorded.
struct BackgroundEvents<Handler> {
  private var handlers: [Handler] = []
  private var deliveryCount = 0
  private var hasFinished = false

  /// Adds a handler; returns those to call now.
  mutating func add(_ handler: Handler) -> [Handler] {
    handlers.append(handler)
    return take()
  }

  /// Records that a file is being delivered.
  mutating func beginDelivery() { deliveryCount += 1 }

  /// Records that a file has been delivered; returns the handlers to call now.
  mutating func endDelivery() -> [Handler] {
    deliveryCount -= 1
    return take()
  }

  /// Records that the session has no further events; returns the handlers to call now.
  mutating func finish() -> [Handler] {
    hasFinished = true
    return take()
  }

  private mutating func take() -> [Handler] {
    guard hasFinished, deliveryCount == 0, !handlers.isEmpty else { return [] }
    hasFinished = false
    defer { handlers = [] }
    return handlers
  }
}
