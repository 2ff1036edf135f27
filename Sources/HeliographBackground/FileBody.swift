import Foundation
import Heliograph

/// A response body in a file, delivered in pieces.
struct FileBody: Sendable {
  let file: FileHandle
  /// The metrics of the exchange, sent after the last piece.
  let metrics: Metrics
  let observer: Observer<TransportEvent, NetworkError>
  /// Called once: when the file has been delivered or cannot be read, or when the observer is disposed.
  var ended: @Sendable () -> Void = {}

  /// Delivers the file from its current offset to its end, and completes the observer.
  ///
  /// Pieces have up to 64 KiB. Reading pauses while the consumer is above the high-water mark.
  /// - Parameter scheduler: The scheduler that reads the file. Default: the global concurrent queue.
  func deliver(on scheduler: any SignalScheduler = DispatchScheduler.global) {
    scheduler.schedule { send(on: scheduler) }
  }

  private func send(on scheduler: any SignalScheduler) {
    while !observer.isDisposed {
      if let pressure = observer.pressure, pressure.isHigh {
        return pressure.whenLow { deliver(on: scheduler) }
      }
      do {
        guard let piece = try FileBody.nextPiece(of: file) else {
          observer.complete(with: .metrics(metrics))
          return ended()
        }
        observer.send(.body(piece))
      } catch {
        observer.fail(
          NetworkError(
            .network(NSURLErrorCannotOpenFile), reason: "cannot read the file of the response",
            metrics: metrics, underlying: error))
        return ended()
      }
    }
    ended()
  }

  /// Reads up to 64 KiB; returns `nil` at the end.
  ///
  /// `FileHandle.read(upToCount:)` is not used: on Apple's platforms its objects live until the thread's autorelease
  /// pool is drained, in a loop over a file possibly only at its end.
  static func nextPiece(of file: FileHandle) throws -> Data? {
    var piece = Data(count: 65_536)
    while true {
      let count = piece.withUnsafeMutableBytes { read(file.fileDescriptor, $0.baseAddress, $0.count) }
      if count >= 0 { return count == 0 ? nil : piece.prefix(count) }
      guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
  }
}
