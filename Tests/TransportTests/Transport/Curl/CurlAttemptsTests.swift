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

  /// libcurl moves a refused request to any keep-alive connection.
  @Test func aRefusedRequestIsNotSentOnAConnectionWithUnreadInput() {
    for connection in [Attempts.Connection.unclean, .reused, .new] {
      var attempts = attempts(isIdempotent: false)
      expectEqual(attempts.begin(on: connection, isRefused: true), connection != .unclean)
    }
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
    expectEqual(attempts.end(.init(code: code)), .end)
    expectEqual(attempts.resendCount, 1)
  }

  /// Its sender changes it before, such as the count of Digest.
  @Test(
    arguments: cuts
      + [CCURL_SEND_FAIL_REWIND, CCURL_HTTP2, CCURL_UNSUPPORTED_PROTOCOL, CCURL_COULDNT_CONNECT].map { Int($0) })
  func aRequestThatIsSentOnceFailsInsteadOfBeingResent(_ code: Int) {
    var attempts = Attempts(isIdempotent: true, isSentOnce: true)
    expect(attempts.begin(on: .reused, isRefused: false))
    expectEqual(attempts.end(.init(code: code)), .failStale)
    expectEqual(attempts.resendCount, 0)
    // Nothing was sent.
    attempts = Attempts(isIdempotent: true, isSentOnce: true)
    expect(!attempts.begin(on: .unclean, isRefused: false))
    expectEqual(attempts.end(.init(code: code)), .resend)
    // libcurl's own second attempt.
    attempts = Attempts(isIdempotent: true, isSentOnce: true)
    expect(attempts.begin(on: .reused, isRefused: false))
    expect(!attempts.begin(on: .new, isRefused: false))
  }

  /// What is left of the response before may be taken for HTTP/0.9; nothing tells that a POST was not processed.
  @Test(arguments: [true, false], [true, false])
  func whatIsNoHTTPOnAKeptConnectionIsOfTheResponseBefore(_ isIdempotent: Bool, _ canRewind: Bool) {
    var attempts = attempts(isIdempotent: isIdempotent)
    let result = Attempts.Result(code: Int(CCURL_UNSUPPORTED_PROTOCOL), canRewind: canRewind)
    expectEqual(attempts.end(result), isIdempotent && canRewind ? .resend : .end)
    var fresh = self.attempts(on: .new)
    expectEqual(fresh.end(result), .end)
  }

  @Test(arguments: cuts) func aNewConnectionsEndIsNoReasonToResend(_ code: Int) {
    var attempts = attempts(on: .new)
    expectEqual(attempts.end(.init(code: code)), .end)
  }

  /// libcurl's text says more about the end of a new one.
  @Test(arguments: [true, false], [true, false])
  func aConnectionOverHTTP2MayEndAtAnyTime(_ isIdempotent: Bool, _ canRewind: Bool) {
    var attempts = attempts(isIdempotent: isIdempotent, on: .new)
    let result = Attempts.Result(code: Int(CCURL_HTTP2), canRewind: canRewind)
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

  /// libcurl then fails to make the connection of its next attempt, of which it reports nothing else.
  private static let connectFailures = [
    CCURL_COULDNT_RESOLVE_PROXY, CCURL_COULDNT_RESOLVE_HOST, CCURL_COULDNT_CONNECT, CCURL_OPERATION_TIMEDOUT,
    CCURL_SSL_CONNECT_ERROR, CCURL_PEER_FAILED_VERIFICATION, CCURL_SSL_PINNEDPUBKEYNOTMATCH, CCURL_PROXY_FAILED,
    CCURL_SSL_CERTPROBLEM, CCURL_SSL_CLIENTCERT, CCURL_SSL_CACERT_BADFILE, CCURL_RECV_ERROR,
  ].map { Int($0) }

  @Test(arguments: connectFailures) func aRequestOnALostConnectionIsNotReportedAsUnsent(_ code: Int) {
    for (isIdempotent, canRewind) in [(false, true), (true, false)] {
      var attempts = attempts(isIdempotent: isIdempotent)
      expectEqual(attempts.end(.init(code: code, canRewind: canRewind)), .failStale)
      expect(!attempts.hasFailedToReconnect)
    }
    // The server's name, port or certificate is the cause, and nothing was processed that may not be repeated.
    var attempts = attempts()
    expectEqual(attempts.end(.init(code: code)), code == CCURL_RECV_ERROR ? .resend : .end)
    expectEqual(attempts.hasFailedToReconnect, code != CCURL_RECV_ERROR)
  }

  /// Newer versions of libcurl have no result for it.
  @Test func aKeyThatCannotBeUsedFailsTheConnection() {
    let result = Attempts.Result(code: Int(CCURL_BAD_FUNCTION_ARGUMENT), text: "unable to set private key file")
    var (repeatable, other) = (attempts(), attempts(isIdempotent: false))
    expectEqual(other.end(result), .failStale)
    expectEqual(repeatable.end(result), .end)
    expect(repeatable.hasFailedToReconnect)
    // Any other invalid argument, such as a malformed response.
    other = attempts(isIdempotent: false)
    expectEqual(other.end(.init(code: Int(CCURL_BAD_FUNCTION_ARGUMENT))), .end)
  }

  @Test(arguments: connectFailures) func aRequestThatWasNeverSentFailsWithItsCause(_ code: Int) {
    for var attempts in [Attempts(isIdempotent: false), attempts(isIdempotent: false, on: .new)] {
      expectEqual(attempts.end(.init(code: code)), .end)
      expect(!attempts.hasFailedToReconnect)
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
    let result = Attempts.Result(code: Int(CCURL_OPERATION_TIMEDOUT))
    expectEqual(attempts.end(result), isIdempotent ? .resend : .failStale)
  }

  @Test func onAConnectionOfItsOwnNoSecondAttemptIsSent() {
    var attempts = attempts()
    expectEqual(attempts.end(.init(code: Int(CCURL_GOT_NOTHING))), .resend)
    expect(attempts.begin(on: .new, isRefused: false))
    expect(!attempts.begin(on: .new, isRefused: false))
    expectEqual(attempts.end(.init(code: Int(CCURL_OPERATION_TIMEDOUT))), .failStale)
  }

  @Test func aRefusedRequestIsSentWhateverItsMethod() {
    var attempts = attempts(isIdempotent: false, on: .new)
    for count in 1...5 {
      expect(attempts.begin(on: .reused, isRefused: true))
      expectEqual(attempts.resendCount, count)
    }
    expectEqual(attempts.end(.init(code: Int(CCURL_SEND_ERROR), isRefused: true)), .resend)
    expectEqual(attempts.resendCount, 6)
    // The server refuses it once more.
    expect(attempts.begin(on: .new, isRefused: false))
    expectEqual(attempts.end(.init(code: Int(CCURL_SEND_ERROR), isRefused: true)), .end)
  }
}
#endif
