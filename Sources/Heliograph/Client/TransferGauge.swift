import Signals

/// A counter of transferred bytes for one subscription to a transfer.
final class TransferGauge: Sendable {
  private struct State {
    var sentByteCount = 0
    var hasSentAll = false
    /// The bytes of the current attempt; a later attempt restarts at 0 and is reported once it exceeds an earlier one.
    var receivedByteCount = 0
    var toldByteCount = 0
    var total: Int?
  }

  private let state = Guarded(State())
  private let tell: @Sendable (TransferProgress) -> Void

  init(_ tell: @escaping @Sendable (TransferProgress) -> Void) {
    self.tell = tell
  }

  /// Processes a transport event of a request's exchange.
  func take(_ event: TransportEvent, of request: HTTPRequest) {
    switch event {
    case .sent(let byteCount): send(byteCount, of: request.body.byteCount)
    case .head(let head):
      finishSending(request, head)
      state.withLock { state in
        state.total = head.announcedByteCount
        state.receivedByteCount = 0
      }
    case .body(let data): receive(data.count)
    case .metrics: break
    }
  }

  /// Reports the end of the body; a total that was unknown is known now.
  func finish() {
    let progress = state.withLock { state -> TransferProgress? in
      let count = state.receivedByteCount
      guard count > 0, state.total != count || state.toldByteCount != count else { return nil }
      return TransferProgress(.receiving, byteCount: count, totalByteCount: count)
    }
    if let progress { tell(progress) }
  }

  /// Reports the whole body as sent when a response arrives, unless partial progress was reported.
  private func finishSending(_ request: HTTPRequest, _ head: HTTPResponse) {
    let count = state.withLock { $0.sentByteCount }
    if let total = request.body.byteCount {
      if count == 0, total > 0 { send(total, of: total) }
    } else if count > 0, head.statusCode < 300 {
      send(count, of: count)
    }
  }

  private func send(_ byteCount: Int, of total: Int?) {
    let isNews = state.withLock { state in
      let isNews = byteCount > state.sentByteCount || (byteCount == total && !state.hasSentAll)
      state.sentByteCount = max(byteCount, state.sentByteCount)
      state.hasSentAll = state.hasSentAll || byteCount == total
      return isNews
    }
    if isNews { tell(TransferProgress(.sending, byteCount: byteCount, totalByteCount: total)) }
  }

  private func receive(_ count: Int) {
    let progress = state.withLock { state -> TransferProgress? in
      state.receivedByteCount += count
      guard state.receivedByteCount > state.toldByteCount else { return nil }
      state.toldByteCount = state.receivedByteCount
      return TransferProgress(.receiving, byteCount: state.receivedByteCount, totalByteCount: state.total)
    }
    if let progress { tell(progress) }
  }
}

extension HTTPResponse {
  /// The expected size of the body, if the response declares it.
  fileprivate var announcedByteCount: Int? {
    guard headers["Content-Encoding"] == nil, headers["Transfer-Encoding"] == nil else { return nil }
    return headers["Content-Length"].flatMap { Int($0) }
  }
}
