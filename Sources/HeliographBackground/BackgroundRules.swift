import Foundation
import Heliograph

/// The folder of a background session, and the settings that the system would refuse.
enum BackgroundRules {
  /// Returns the error of a session that cannot work; `nil` if it can.
  static func refusal(
    _ identifier: String, group: String?, hasContainer: Bool, bundlePath: String, trust: Trust = Trust()
  ) -> NetworkError? {
    // Its key would have to reach the system's process that makes the connections.
    if !trust.identities.isEmpty { return failure("a background session cannot present a client certificate") }
    if identifier.isEmpty { return failure("the session's identifier is empty") }
    if let group, !hasContainer { return failure("no access to the app group \(group.singleLine)") }
    // The system would invalidate the session.
    guard group == nil, bundlePath.hasSuffix(".appex") else { return nil }
    return failure("the session of an app extension requires a `sharedContainerIdentifier`")
  }

  /// Whether an app can write to more than its caches, which the system empties while the app is not running.
  private static var hasLastingFolders: Bool {
    #if os(tvOS)
    false
    #else
    true
    #endif
  }

  /// Returns the folder for all sessions: an app group's container or Application Support; on an Apple TV their caches.
  static func base(_ container: URL?, _ files: FileManager, isLasting: Bool = hasLastingFolders) -> URL {
    let own: FileManager.SearchPathDirectory = isLasting ? .applicationSupportDirectory : .cachesDirectory
    return container.map { isLasting ? $0 : $0.appendingPathComponent("Library/Caches") }
      ?? files.urls(for: own, in: .userDomainMask).first ?? files.temporaryDirectory
  }

  static func folder(_ identifier: String, in base: URL) -> URL {
    base.appendingPathComponent("Heliograph/Background/\(SHA256.hash(Data(identifier.utf8)).hexadecimal)")
  }

  /// Returns the progress of a download, whose body is delivered when complete; `nil` if there is none to report.
  static func progress(
    _ written: Int64, of expected: Int64, status: Int, to request: HTTPRequest
  ) -> TransportEvent? {
    // A server that ignores the range sends the whole content, which does not continue the part file.
    guard (200..<300).contains(status), request.headers["Range"] == nil || status == 206 else { return nil }
    return .received(
      byteCount: Int(clamping: max(written, 0)), totalByteCount: expected < 0 ? nil : Int(clamping: expected))
  }

  /// Returns the head of a downloaded file: that of an entire response if the system has resumed the download.
  static func head(_ head: HTTPResponse, ofFile byteCount: Int, for request: HTTPRequest) -> HTTPResponse {
    // The system requests the rest by itself, so that the last response is a 206, but the file is complete.
    // The file of a 206 whose range was not requested is only a part.
    guard head.statusCode == 206, request.headers["Range"] == nil, let range = ContentRange(head.headers),
      range.last + 1 == byteCount, range.length == byteCount
    else { return head }
    var whole = head
    whole.statusCode = 200
    whole.headers["Content-Range"] = nil
    whole.headers["Content-Length"] = "\(byteCount)"
    return whole
  }

  /// Returns whether a download that the system was to resume starts over, because its resume data cannot be used.
  ///
  /// The system fails a task whose partial file is gone, because its caches were emptied. It requests the rest from the
  /// target of the last redirect, which may have expired; the response to that is not one to the caller's request. After
  /// other failures, such as one of the connection, the caller decides whether the request is sent again.
  static func startsOver(after error: (any Error)?, status: Int?, hasResumeData: Bool) -> Bool {
    guard let error = error as NSError? else { return status.map { !(200..<300).contains($0) } ?? false }
    if status != nil || hasResumeData { return false }
    return switch error.domain {
    // Unknown errors, an unsupported URL, and the errors of files.
    case NSURLErrorDomain:
      [-1, -1_002].contains(error.code) || -1_103...(-1_100) ~= error.code || -3_007...(-3_000) ~= error.code
    case NSPOSIXErrorDomain: [ENOENT, EFAULT].contains(Int32(clamping: error.code))
    case NSCocoaErrorDomain: true
    default: false
    }
  }

  private static func failure(_ reason: String) -> NetworkError { NetworkError(.invalidTransport, reason: reason) }
}

extension HTTPRequest {
  /// Throws if a redirect, which the session follows by itself, could send secrets or the body to another origin.
  func checkRedirectSafety() throws(NetworkError) {
    let secrets = headers.filter(\.isSecret).map(\.name)
    let reason: String
    if !secrets.isEmpty {
      reason = "a redirect could send \(secrets.sorted().joined(separator: ", ")) to any origin"
    } else if body.byteCount != 0, !sendsBodyAcrossOrigins {
      reason = "a redirect would take the body to any origin"
    } else {
      return
    }
    throw NetworkError(
      .redirectRefused, reason: "\(reason): set `trustsRedirects` for servers that do not redirect to other origins",
      request: self)
  }
}
