import Foundation
import Heliograph

/// The phases of an exchange as tools show them, in order, without overlaps; their sum is its duration.
///
/// They come from the transport's metrics; time without a reported phase counts as ``wait``, but as ``dns`` if the host
/// was not found. With a reused connection there is neither ``dns`` nor ``connect`` nor ``tls``. The time from the
/// first to the last byte of the request is part of ``wait``, because no transport reports the last one.
struct ExchangePhases: Sendable, Equatable {
  /// The time in the cache, in middleware, in queues for a connection, and for a Digest challenge.
  var blocked: Duration?
  /// The time to resolve the host.
  var dns: Duration?
  /// The time to establish the connection, without TLS.
  var connect: Duration?
  /// The time of the TLS handshake.
  var tls: Duration?
  /// The time from the connection to the first byte sent.
  var send = Duration.zero
  /// The time to the first byte of the response.
  var wait = Duration.zero
  /// The time from the first to the last byte of the response.
  var receive = Duration.zero
}

extension ExchangePhases {
  /// Creates the phases of a record; those of an exchange in flight extend to the current time.
  init(of record: borrowing ExchangeRecord, at now: Date) {
    let start = record.sentAt ?? record.startedAt
    let before = Duration.between(record.startedAt, start)
    let whole = Duration.between(start, record.endedAt ?? now)
    if before > .zero { blocked = before }
    // The metrics are those of the last exchange of an attempt; those of a shared exchange belong to another request.
    let isOwn = !record.isFollowed && (record.source ?? .network).isMeasured
    guard isOwn, let metrics = record.metrics, let startedAt = metrics.startedAt else {
      wait = whole
      return
    }
    // After a redirect, the instants continue from those of the exchanges before.
    if record.hop == 0, startedAt > .zero { blocked = before + startedAt }
    let isSecure = record.request.url.scheme?.lowercased() == "https"
    read(metrics, from: startedAt, isSecure: isSecure, hasHost: record.error?.code != .cannotFindHost)
  }

  /// Reads the instants in order; the phase in which the exchange ended has no instant and gets the rest.
  ///
  /// Without any instant that is ``wait``, but ``dns`` if the host was not found.
  private mutating func read(_ metrics: Metrics, from start: Duration, isSecure: Bool, hasHost: Bool) {
    var last = start
    func take(_ instant: Duration?) -> Duration? {
      guard let instant else { return nil }
      defer { last = max(last, instant) }
      return max(.zero, instant - last)
    }
    if metrics.isConnectionReused != true {
      dns = take(metrics.resolvedAt)
      connect = take(metrics.connectedAt)
      tls = take(metrics.securedAt)
    }
    let sending = take(metrics.sentAt)
    let waiting = take(metrics.firstByteAt)
    send = sending ?? .zero
    wait = waiting ?? .zero
    let rest = max(.zero, metrics.endedAt - last)
    switch (waiting, sending) {
    case (.some, _): receive = rest
    case (nil, .some): wait = rest
    case (nil, nil) where metrics.isConnectionReused == true: send = rest
    case (nil, nil) where !hasHost: dns = (dns ?? .zero) + rest
    // The transport reports no phases, or the exchange ended while the host was resolved.
    case (nil, nil) where dns == nil: wait = rest
    case (nil, nil) where connect == nil: connect = rest
    case (nil, nil) where isSecure && tls == nil: tls = rest
    case (nil, nil): send = rest
    }
  }
}

extension ResponseSource {
  /// Whether the metrics of a response are those of its request's own exchange.
  fileprivate var isMeasured: Bool {
    switch self {
    case .network, .revalidated: true
    case .cache, .shared: false
    }
  }
}

extension Duration {
  /// Returns the time from one date to another, at least zero.
  fileprivate static func between(_ start: Date, _ end: Date) -> Duration {
    // Not in seconds, whose conversion takes numbers of 128 bits.
    .nanoseconds(Int64(exactly: (max(0, end.timeIntervalSince(start)) * 1e9).rounded()) ?? 0)
  }
}
