import Signals

/// A decision about storing a response, made by its reader: the response is stored only once it has been validated and
/// decoded.
final class StoreDecision: Sendable {
  private struct State {
    var entry: (any StoreCandidate)?
    /// Whether the response came from the cache.
    var isStored = false
    var isAccepted = false
    /// Whether a later value fails.
    var isWithheld = false
    var thread = DeliveryThread.transport
  }

  /// The maximum length of a body that is read on the thread that started the request: 16 KiB.
  private static let shortBodyByteLimit = 16_384
  private let startsInBackground: Bool

  private let state = Guarded(State())

  /// `startsInBackground` says whether the request starts in the background, where a short body may be read.
  init(startsInBackground: Bool) { self.startsInBackground = startsInBackground }

  /// Whether a response from the cache has not been accepted.
  var isUnreadable: Bool { state.withLock { $0.isStored && !$0.isAccepted } }

  /// Prevents storing at the delivery of the first values, because a later one fails.
  func withhold() { state.withLock { $0.isWithheld = true } }

  /// Returns whether a body is read where it is delivered, rather than on the scheduler of the client.
  func isReadInPlace(byteCount: Int) -> Bool {
    switch state.withLock({ $0.thread }) {
    case .transport: false
    case .start: startsInBackground && byteCount <= Self.shortBodyByteLimit
    case .scheduler: true
    }
  }

  /// Offers a complete response, or `nil` if it is not to be stored; called at most once.
  ///
  /// `isStored` says whether it came from the cache.
  func offer(_ entry: (any StoreCandidate)?, isStored: Bool, at thread: DeliveryThread = .transport) {
    state.withLock { ($0.entry, $0.isStored, $0.thread) = (entry, isStored, thread) }
  }

  /// Stores the response before its first value is delivered, unless a later one fails.
  func accept() {
    let entry = state.withLock { state -> (any StoreCandidate)? in
      if state.isAccepted || state.isWithheld && !state.isStored { return nil }
      state.isAccepted = true
      return state.entry
    }
    entry?.commit()
  }

  /// Drops the response, and removes it if it was stored; one from the cache only if its content is at fault.
  func reject(isUnreadable: Bool) {
    let entry = state.withLock { state in state.isStored && !isUnreadable ? nil : state.entry.take() }
    entry?.reject()
  }
}

/// The thread on which a response is delivered.
enum DeliveryThread: Sendable {
  /// The transport's thread, or an unknown one.
  case transport
  /// The thread that started the request.
  case start
  /// A thread of the scheduler that reads responses.
  case scheduler
}

protocol StoreCandidate: Sendable {
  /// Stores the response; called at most once.
  func commit()
  /// Handles the rejection of the response by its reader: removes it if it was stored, or stores it if its status may
  /// be cached regardless.
  func reject()
}
