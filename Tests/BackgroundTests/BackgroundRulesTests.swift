import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographBackground

/// What a background session refuses, and when it calls the system's handler.
struct BackgroundRulesTests {
  private func reason(_ identifier: String, group: String?, hasContainer: Bool, in bundle: String) -> String? {
    BackgroundRules.refusal(identifier, group: group, hasContainer: hasContainer, bundlePath: bundle)?.reason
  }

  @Test func anExtensionNeedsAContainer() {
    expectNil(reason("a", group: nil, hasContainer: false, in: "/b/Shop.app"))
    expectNil(reason("a", group: "g", hasContainer: true, in: "/b/Share.appex"))
    expect(reason("a", group: nil, hasContainer: false, in: "/b/Share.appex")?.contains("sharedContainer") == true)
    expect(reason("a", group: "g", hasContainer: false, in: "/b/Shop.app")?.contains("app group g") == true)
    expect(reason("", group: nil, hasContainer: false, in: "/b/Shop.app")?.contains("empty") == true)
  }

  /// The connections are made by another process, which has no access to the key.
  @Test func aClientCertificateIsRefused() throws {
    func code(_ change: (inout Trust) -> Void) -> NetworkError.Code? {
      var trust = Trust()
      change(&trust)
      return BackgroundRules.refusal("a", group: nil, hasContainer: false, bundlePath: "/b/Shop.app", trust: trust)?
        .code
    }
    expectEqual(code { $0.identities = ["a.example": .init(pkcs12: URL(filePath: "/id.p12"))] }, .invalidTransport)
    expectNil(code { $0.pinnedKeys = ["*": ["a"]] })
    expectNil(code { $0.authorities = URL(filePath: "/ca.pem") })
  }

  @Test func aDownloadWhoseResumeDataCannotBeUsedStartsOver() {
    func startsOver(_ error: any Error, status: Int? = nil, hasResumeData: Bool = false) -> Bool {
      BackgroundRules.startsOver(after: error, status: status, hasResumeData: hasResumeData)
    }
    for code in [URLError.Code.unknown, .unsupportedURL, .fileDoesNotExist, .cannotCreateFile, .cannotWriteToFile] {
      expect(startsOver(URLError(code)), "\(code)")
      expect(!startsOver(URLError(code), status: 206))
      expect(!startsOver(URLError(code), hasResumeData: true))
    }
    expect(startsOver(POSIXError(.ENOENT)))
    expect(startsOver(CocoaError(.fileNoSuchFile)))
  }

  /// It continues, or fails, when the caller sends its request again.
  @Test func aResumedDownloadWithoutAConnectionDoesNotStartOver() {
    let codes: [URLError.Code] = [
      .cancelled, .timedOut, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet,
      .secureConnectionFailed, .backgroundSessionInUseByAnotherProcess, .backgroundSessionWasDisconnected,
    ]
    for code in codes {
      expect(!BackgroundRules.startsOver(after: URLError(code), status: nil, hasResumeData: false), "\(code)")
    }
    let lost = POSIXError(.ECONNABORTED)
    expect(!BackgroundRules.startsOver(after: lost, status: nil, hasResumeData: false))
  }

  /// The system requests the rest from the target of a redirect, which has expired, or of content that has changed.
  @Test func aResumedDownloadWhoseRestIsRefusedStartsOver() {
    for status in [304, 403, 404, 416, 503] {
      expect(BackgroundRules.startsOver(after: nil, status: status, hasResumeData: false), "\(status)")
    }
    for status in [200, 206] {
      expect(!BackgroundRules.startsOver(after: nil, status: status, hasResumeData: false), "\(status)")
    }
  }

  @Test func eachSessionHasAFolder() {
    let base = URL(filePath: "/base")
    expectEqual(BackgroundRules.base(base, .default), base)
    expectEqual(BackgroundRules.base(base, .default, isLasting: false).path, "/base/Library/Caches")
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    expectEqual(BackgroundRules.base(nil, .default, isLasting: false), caches ?? FileManager.default.temporaryDirectory)
    expect(BackgroundRules.folder("a", in: base) != BackgroundRules.folder("b", in: base))
    expect(BackgroundRules.folder("a/../b", in: base).path.hasPrefix("/base/Heliograph/Background/"))
  }

  @Test func whatARedirectCouldTakeElsewhereIsNotSent() throws {
    let url = try require(URL(string: "https://shop.example/a"))
    func code(_ change: (inout HTTPRequest) -> Void) -> NetworkError.Code? {
      var request = HTTPRequest(method: .put, url: url)
      change(&request)
      do throws(NetworkError) {
        try request.checkRedirectSafety()
        return nil
      } catch {
        return error.code
      }
    }
    expectNil(code { $0.headers["Accept"] = "*/*" })
    expectEqual(code { $0.headers["Authorization"] = "Bearer a" }, .redirectRefused)
    expectEqual(code { $0.body = .data(Data([1])) }, .redirectRefused)
    expectNil(
      code {
        $0.body = .data(Data([1]))
        $0.sendsBodyAcrossOrigins = true
      })
  }

  @Test func theProgressIsThatOfABodyWhichIsDeliveredLater() throws {
    let request = HTTPRequest(url: try require(URL(string: "https://shop.example/a")))
    var rest = request
    rest.headers["Range"] = "bytes=5-"
    func progress(_ written: Int64, _ expected: Int64, _ status: Int, _ request: HTTPRequest) -> TransportEvent? {
      BackgroundRules.progress(written, of: expected, status: status, to: request)
    }
    expectEqual(progress(5, 10, 200, request), .received(byteCount: 5, totalByteCount: 10))
    expectEqual(progress(5, -1, 200, request), .received(byteCount: 5, totalByteCount: nil))
    expectEqual(progress(5, 10, 206, rest), .received(byteCount: 5, totalByteCount: 10))
    // A server that ignores the range, and the body of an error.
    expectNil(progress(5, 10, 200, rest))
    expectNil(progress(5, 10, 404, request))
  }

  /// The system requests the rest of a resumed download by itself; its file has the bytes before it as well.
  @Test func aResumedDownloadHasTheHeadOfAnEntireResponse() throws {
    let url = try require(URL(string: "https://shop.example/a"))
    func head(_ status: Int, _ range: String?, of byteCount: Int, asking: String? = nil) -> HTTPResponse {
      var (response, request) = (HTTPResponse(statusCode: status, url: url), HTTPRequest(url: url))
      (response.headers["Content-Range"], response.headers["Content-Length"]) = (range, "6")
      request.headers["Range"] = asking
      return BackgroundRules.head(response, ofFile: byteCount, for: request)
    }
    let whole = head(206, "bytes 4-9/10", of: 10)
    expectEqual(whole.statusCode, 200)
    expectEqual(whole.headers["Content-Length"], "10")
    expectNil(whole.headers["Content-Range"])
    // Without a length, nothing tells whether the file is entire.
    expectEqual(head(206, "bytes 4-9/*", of: 10).statusCode, 206)
    // A part that the caller has requested, and one without a requested range.
    expectEqual(head(206, "bytes 0-9/10", of: 10, asking: "bytes=0-").statusCode, 206)
    expectEqual(head(206, "bytes 4-9/10", of: 6).headers["Content-Range"], "bytes 4-9/10")
    expectEqual(head(206, "bytes 0-9/20", of: 10).statusCode, 206)
    expectEqual(head(206, nil, of: 10).statusCode, 206)
    expectEqual(head(200, nil, of: 10).headers["Content-Length"], "6")
  }

  @Test func theHandlerIsCalledAfterTheLastDelivery() {
    var events = BackgroundEvents<Int>()
    expectEqual(events.add(1), [])
    events.beginDelivery()
    expectEqual(events.finish(), [])
    expectEqual(events.endDelivery(), [1])
    expectEqual(events.finish(), [])
  }

  @Test func aLateHandlerIsCalledAtOnceAndTheNextOneWaits() {
    var events = BackgroundEvents<Int>()
    expectEqual(events.finish(), [])
    expectEqual(events.add(1), [1])
    expectEqual(events.add(2), [])
    expectEqual(events.finish(), [2])
  }

  /// The handlers of the session that replaces it wait for its own events.
  @Test func anInvalidSessionCallsTheHandlersThatWait() {
    var events = BackgroundEvents<Int>()
    expectEqual(events.add(1), [])
    expectEqual(events.abandon(), [1])
    expectEqual(events.add(2), [])
    expectEqual(events.finish(), [2])
  }

  /// The system reports an end also while the app is in front, and then no handler comes.
  @Test func anOldEndCallsNoHandlerOfALaterLaunch() {
    var events = BackgroundEvents<Int>()
    let start = ContinuousClock.now
    expectEqual(events.finish(at: start), [])
    expectEqual(events.add(1, at: start + .seconds(60)), [])
    expectEqual(events.add(2, at: start + .seconds(60)), [])
    expectEqual(events.finish(at: start + .seconds(61)), [1, 2])
    // A delivery may last longer.
    events.beginDelivery()
    expectEqual(events.add(3, at: start + .seconds(70)), [])
    expectEqual(events.finish(at: start + .seconds(70)), [])
    expectEqual(events.add(4, at: start + .seconds(120)), [])
    expectEqual(events.endDelivery(), [3, 4])
  }
}
