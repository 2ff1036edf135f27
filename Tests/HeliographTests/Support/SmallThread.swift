import Foundation

/// Does something on a thread with as little stack as those of Apple's systems have, 512 KiB, and gives the result.
func onSmallThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Result { try work() }) }
    thread.stackSize = 512 * 1_024
    thread.start()
  }
}
