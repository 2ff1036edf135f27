/// The handlers that wait until the events of a background session have been delivered; the system may report the end
/// of the events before the app has stored its handler, so the end is recorded for 30 seconds.
struct BackgroundEvents<Handler> {
  private var handlers: [Handler] = []
  private var deliveryCount = 0
  /// When the session last had no further events, until a handler is called for it.
  private var finishedAt: ContinuousClock.Instant?

  /// Adds a handler; returns those to call now.
  mutating func add(_ handler: Handler, at now: ContinuousClock.Instant = .now) -> [Handler] {
    // An earlier end, such as one without a launch in the background, says nothing about the events of this launch.
    if handlers.isEmpty, let finishedAt, now - finishedAt > .seconds(30) { self.finishedAt = nil }
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
  mutating func finish(at now: ContinuousClock.Instant = .now) -> [Handler] {
    finishedAt = now
    return take()
  }

  /// Records that the session will report no end; returns the handlers to call now.
  mutating func abandon() -> [Handler] {
    finishedAt = nil
    defer { handlers = [] }
    return handlers
  }

  private mutating func take() -> [Handler] {
    if finishedAt == nil || deliveryCount > 0 || handlers.isEmpty { return [] }
    return abandon()
  }
}
