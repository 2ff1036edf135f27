import Foundation
import Signals

/// The writing end of a pair of streams with a limited buffer.
protocol BodySink: Sendable {
  /// Whether bytes can be written without waiting.
  var hasSpace: Bool { get }
  /// Writes bytes; returns their number, which may be smaller, and at most 0 after the reading end was closed.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int
  /// Closes the sink: the reader sees the end of the body.
  func close()
}

/// A feed of a stream's pieces to a sink; each piece is requested once the previous one has been written.
///
/// ``feed()`` is called on one thread at a time: whenever the sink has space, and when a piece arrives after a wait.
final class BodyFeed: Sendable {
  private struct State {
    var unwritten = Data()
    var hasEnded = false
    var isClosed = false
    var isAwaitingSource = false
  }

  private static let chunkByteCount = 16_384

  private let reader: PieceReader
  private let sink: any BodySink
  private let state = Guarded(State())
  private let onFailure: @Sendable (NetworkError) -> Void

  /// `onFailure` receives the failure of the source, or of its length, once.
  ///
  /// The sink stays open until ``close()``, so that its reader does not mistake a truncated body for a complete one.
  init(_ reader: PieceReader, to sink: any BodySink, onFailure: @escaping @Sendable (NetworkError) -> Void) {
    self.reader = reader
    self.sink = sink
    self.onFailure = onFailure
  }

  /// Whether everything was written, and the source has not delivered the next piece yet.
  var isAwaitingSource: Bool { state.withLock { $0.isAwaitingSource } }

  func feed() {
    state.withLock { $0.isAwaitingSource = false }
    while !state.withLock({ $0.hasEnded }), sink.hasSpace {
      do throws(NetworkError) {
        guard try fill() else { return state.withLock { $0.isAwaitingSource = true } }
      } catch {
        stop()
        return onFailure(error)
      }
      let unwritten = state.withLock { $0.unwritten }
      if unwritten.isEmpty { return close() }
      let count = unwritten.withUnsafeBytes { sink.write($0) }
      // The reading end was closed: its task has ended, or restarts with another pair of streams.
      if count <= 0 { return close() }
      state.withLock { $0.unwritten = Data($0.unwritten.dropFirst(count)) }
    }
  }

  /// Drops further pieces and leaves the sink open, because closing it would signal the end of the body.
  func stop() { state.withLock { ($0.hasEnded, $0.unwritten) = (true, Data()) } }

  func close() {
    let isFirst = state.withLock { state in
      (state.hasEnded, state.unwritten) = (true, Data())
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst { sink.close() }
  }

  /// Reads more bytes if none are left, as at the end; returns `false` if none have arrived yet.
  private func fill() throws(NetworkError) -> Bool {
    guard state.withLock({ $0.unwritten.isEmpty }) else { return true }
    var bytes = Data(count: BodyFeed.chunkByteCount)
    let result = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(NetworkError) in try reader.read(into: buffer) }
    }
    guard let count = try result.get() else { return false }
    state.withLock { $0.unwritten = bytes.prefix(count) }
    return true
  }
}
