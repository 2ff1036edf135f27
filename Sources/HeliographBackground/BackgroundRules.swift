import Foundation
import Heliograph

/// The folder of a background session, and the settings that the system would refuse.
enum BackgroundRules {
  /// Returns the error of a session that cannot work; `nil` if it can.
  ///
  /// - Parameters:
  ///   - identifier: The identifier of the session.
  ///   - group: The app group, if one is given.
  ///   - hasContainer: Whether the system knows the container of the group.
  ///   - bundlePath: The path of the main bundle.
  ///   - trust: The trusted servers, and the client certificates.
  /// - Returns: The error.
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

  /// Returns the folder for all sessions: an app group's container or Application Support; on an Apple TV the caches of
  /// one or the other.
  ///
  /// - Parameters:
  ///   - container: The container of the app group, if one is given.
  ///   - files: The file manager.
  ///   - isLasting: Whether the folder is one that the system does not empty. Default: if the system has such a folder.
  /// - Returns: The folder.
  static func base(_ container: URL?, _ files: FileManager, isLasting: Bool = hasLastingFolders) -> URL {
    let own: FileManager.SearchPathDirectory = isLasting ? .applicationSupportDirectory : .cachesDirectory
    return container.map { isLasting ? $0 : $0.appendingPathComponent("Library/Caches") }
      ?? files.urls(for: own, in: .userDomainMask).first ?? files.temporaryDirectory
  }

  static func folder(_ identifier: String, in base: URL) -> URL {
    base.appendingPathComponent("Heliograph/Background/\(SHA256.hash(Data(identifier.utf8)).hexadecimal)")
  }

  /// Returns the progress of a download whose body is delivered when it is complete; `nil` if there is none to
  /// report.
  ///
  /// - Parameters:
  ///   - written: The number of bytes that the system has written to a file.
  ///   - expected: The length of the body, or -1.
  ///   - status: The status of the response.
  ///   - request: The request.
  /// - Returns: The event.
  static func progress(
    _ written: Int64, of expected: Int64, status: Int, to request: HTTPRequest
  ) -> TransportEvent? {
    // A server that ignores the range sends the whole content, which does not continue the part file.
    guard (200..<300).contains(status), request.headers["Range"] == nil || status == 206 else { return nil }
    return .received(
      byteCount: Int(clamping: max(written, 0)), totalByteCount: expected < 0 ? nil : Int(clamping: expected))
  }

  /// Returns the head of a downloaded file for its request: that of an entire response if the system has resumed the
  /// download.
  ///
  /// The system requests the rest by itself, so that the last response is a 206, but the file is complete.
  ///
  /// - Parameters:
  ///   - head: The head of the last response.
  ///   - byteCount: The size of the file.
  ///   - request: The caller's request.
  /// - Returns: The head to deliver.
  static func head(_ head: HTTPResponse, ofFile byteCount: Int, for request: HTTPRequest) -> HTTPResponse {
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
  /// The system fails a task whose partial file is gone, because its caches were emptied. After other failures, such as
  /// one of the connection, the caller decides whether the request is sent again.
  /// - Parameters:
  ///   - error: The error of the resumed task.
  ///   - hasResponse: Whether a response was received.
  ///   - hasResumeData: Whether the error has resume data, with which the next download continues.
  /// - Returns: Whether it starts over.
  static func startsOver(after error: any Error, hasResponse: Bool, hasResumeData: Bool) -> Bool {
    if hasResponse || hasResumeData { return false }
    let error = error as NSError
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
