import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Uploads whose source and whose server cause trouble, over TLS; `UploadTroubleTests` has the same in the clear.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlUploadTroubleTests {
  /// What nginx does that has read the head of a request.
  enum Peer: CaseIterable, Sendable {
    case refuses, closes, resets, isSilent

    /// `/passed/` ends in a server that waits for the end of the body.
    var path: String {
      switch self {
      case .refuses: "/refused"
      case .resets: "/cut"
      case .closes, .isSilent: "/passed/"
      }
    }

    /// The status, or the code of the failure.
    var outcome: Int {
      switch self {
      case .refuses: 413
      case .closes, .resets: NetworkError.Code.connectionLost.number
      case .isSilent: NetworkError.Code.timedOut.number
      }
    }
  }

  @Test(arguments: TroubledSource.allCases, Peer.allCases)
  func anUploadEndsWithTheTrueCause(_ source: TroubledSource, _ peer: Peer) async throws {
    for allowsHTTP2 in CurlTransport.supportsHTTP2 ? [false, true] : [false] {
      let upstream = try LoopbackServer()
      var nginx: NginxServer? = try await NginxServer(upstream: upstream)
      let url = try require(try nginx?.url(\.secure, peer.path))
      let request = HTTPRequest(
        method: .post, url: url, body: .stream(source.stream), idleTimeout: .seconds(60),
        totalTimeout: peer == .isSilent && !source.isInvalid ? .milliseconds(300) : nil)
      let transport = try CurlTransport(try secureSettings { $0.allowsHTTP2 = allowsHTTP2 })
      let recorder = SignalRecorder(transport.send(request))
      if peer == .closes {
        if source.isInvalid {
          await recorder.wait { !$0.isEmpty }
        } else {
          await expect(upstream.wait { !$0.connections.isEmpty })
        }
        // Its process is killed, which closes its connections.
        nginx = nil
      }
      await recorder.waitForEnd()
      let outcome = recorder.isCompleted ? recorder.values.head?.statusCode : recorder.failure?.code.number
      // Of two causes the first one counts.
      let isInvalid = source.isInvalid && outcome == NetworkError.Code.invalidBody.number
      let isExpected = source.isInvalid && peer == .isSilent ? isInvalid : isInvalid || outcome == peer.outcome
      expect(isExpected, "HTTP/2: \(allowsHTTP2), \(recorder.events)")
      expect(recorder.violations.isEmpty)
      withExtendedLifetime(nginx) {}
    }
  }
}
