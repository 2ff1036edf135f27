#if HELIOGRAPH_CURL
import CCurl
import TestSupport
import Testing

@testable import Heliograph

/// Which requests are sent again, as values.
struct CurlAttemptsTests {
  typealias Attempts = CurlAttempts

  private func attempts(isIdempotent: Bool = true, on connection: Attempts.Connection = .reused) -> Attempts {
    var attempts = Attempts(isIdempotent: isIdempotent)
    expectEqual(attempts.begin(on: connection, isRefused: false), connection != .unclean)
    return attempts
  }

  private static let cuts = [CCURL_GOT_NOTHING, CCURL_SEND_ERROR, CCURL_RECV_ERROR].map { Int($0) }

  @Test(arguments: [true, false], cuts + [Int(CCURL_SEND_FAIL_REWIND), Int(CCURL_HTTP2)])
  func aKeptConnectionThatWasClosedIsReplacedOnce(_ isIdempotent: Bool, _ code: Int) {
    var attempts = attempts(isIdempotent: isIdempotent)
    expectEqual(attempts.end(.init(code: code)), isIdempotent ? .resend : .failStale)
    expectEqual(attempts.resendCount, isIdempotent ? 1 : 0)
    guard isIdempotent else { return }
    // The second one has a connection of its own.
    expect(attempts.begin(on: .new, isRefused: false))
    expectEqual(attempts.end(.init(code: code, connectCount: 1)), .end)
    expectEqual(attempts.resendCount, 1)
  }

  @Test(arguments: cuts) func aNewConnectionsEndIsNoReasonToResend(_ code: Int) {
    var attempts = attempts(on: .new)
    expectEqual(attempts.end(.init(code: code, connectCount: 1)), .end)
  }

  /// libcurl's text says more about the end of a new one.
  @Test(arguments: [true, false], [true, false])
  func aConnectionOverHTTP2MayEndAtAnyTime(_ isIdempotent: Bool, _ canRewind: Bool) {
    var attempts = attempts(isIdempotent: isIdempotent, on: .new)
    let result = Attempts.Result(code: Int(CCURL_HTTP2), connectCount: 1, canRewind: canRewind)
    expectEqual(attempts.end(result), isIdempotent && canRewind ? .resend : .end)
  }

  @Test func nothingIsResentAfterSuccessAResponseOrAnotherError() {
    for result in [
      Attempts.Result(code: Int(CCURL_OK)), .init(code: Int(CCURL_RECV_ERROR), isFinal: true),
      .init(code: Int(CCURL_COULDNT_CONNECT)), .init(code: Int(CCURL_HTTP2_STREAM)),
    ] {
      var attempts = attempts()
      expectEqual(attempts.end(result), .end)
      expectEqual(attempts.resendCount, 0)
    }
  }

  @Test func aBodyThatCannotBeRewoundIsSentOnce() {
    var attempts = attempts()
    expectEqual(attempts.end(.init(code: Int(CCURL_SEND_ERROR), canRewind: false)), .failStale)
  }

  @Test(arguments: [true, false]) func aRequestThatWasNotSentIsSentWithoutBeingCounted(_ isIdempotent: Bool) {
    var attempts = attempts(isIdempotent: isIdempotent, on: .unclean)
    expectEqual(attempts.end(.init(code: Int(CCURL_OPERATION_TIMEDOUT))), .resend)
    expectEqual(attempts.resendCount, 0)
    expect(attempts.begin(on: .new, isRefused: false))
  }

  // MARK: Attempts of libcurl's own

  @Test(arguments: [true, false], [Attempts.Connection.new, .reused])
  func onlyASecondAttemptOnANewConnectionIsSent(_ isIdempotent: Bool, _ connection: Attempts.Connection) {
    var attempts = attempts(isIdempotent: isIdempotent)
    let isSent = isIdempotent && connection == .new
    expectEqual(attempts.begin(on: connection, isRefused: false), isSent)
    expectEqual(attempts.resendCount, isSent ? 1 : 0)
    guard !isSent else { return expect(!attempts.begin(on: .new, isRefused: false)) }
    // libcurl's result of an attempt that was not sent.
    let result = Attempts.Result(code: Int(CCURL_OPERATION_TIMEDOUT), connectCount: 1)
    expectEqual(attempts.end(result), isIdempotent ? .resend : .failStale)
  }

  @Test func onAConnectionOfItsOwnNoSecondAttemptIsSent() {
    var attempts = attempts()
    expectEqual(attempts.end(.init(code: Int(CCURL_GOT_NOTHING))), .resend)
    expect(attempts.begin(on: .new, isRefused: false))
    expect(!attempts.begin(on: .new, isRefused: false))
    expectEqual(attempts.end(.init(code: Int(CCURL_OPERATION_TIMEDOUT), connectCount: 2)), .failStale)
  }

  @Test func aRefusedRequestIsSentWhateverItsMethod() {
    var attempts = attempts(isIdempotent: false, on: .new)
    for count in 1...5 {
      expect(attempts.begin(on: .reused, isRefused: true))
      expectEqual(attempts.resendCount, count)
    }
    expectEqual(attempts.end(.init(code: Int(CCURL_SEND_ERROR), connectCount: 1, isRefused: true)), .resend)
    expectEqual(attempts.resendCount, 6)
    // The server refuses it once more.
    expect(attempts.begin(on: .new, isRefused: false))
    expectEqual(attempts.end(.init(code: Int(CCURL_SEND_ERROR), connectCount: 1, isRefused: true)), .end)
  }
}
#endif
