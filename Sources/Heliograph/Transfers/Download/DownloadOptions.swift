/// The settings of a download to a file.
public struct DownloadOptions: Sendable, Hashable {
  /// The identity of the content; a part is resumed only if its identity matches.
  ///
  /// Set it if the URL changes between the downloads of one file, as a signed URL does. A part of another identity,
  /// account, environment or service is discarded as soon as a response begins. Default: `nil`, the URL of the request.
  public var id: String?
  /// The expected SHA-256 digest (FIPS 180-4) of the complete file; a different digest fails the download with
  /// ``NetworkError/Code/digestMismatch``.
  ///
  /// The digest is 64 hexadecimal digits, in upper or lower case. Any other text fails the download with
  /// ``NetworkError/Code/invalidParameters`` before anything is sent. Default: `nil`, not checked.
  public var sha256: String?
  /// Whether an existing file is replaced.
  ///
  /// If `false`, an existing file fails the download with ``NetworkError/Code/cannotCreateFile``. Default: `true`; the
  /// old file remains until the download is complete, and the new file gets the permissions of the old one.
  public var replacesExisting = true
  /// Whether missing folders of the destination are created.
  ///
  /// Default: `false`: a missing folder fails the download with ``NetworkError/Code/cannotCreateFile``.
  public var createsFolders = false
  /// Whether an existing part is resumed, and an incomplete one kept for later downloads; if `false`, the part is
  /// discarded when a response begins.
  ///
  /// The option applies to `GET` requests without a `Range` field. Default: `true`.
  public var resumes = true

  /// Creates settings with all defaults.
  public init() {}

  /// Returns settings that are configured by a closure.
  ///
  /// ```swift
  /// let options = DownloadOptions.with { $0.id = "film-17" }
  /// ```
  /// - Parameter set: Sets the properties.
  /// - Returns: The settings.
  public static func with(_ set: (inout DownloadOptions) -> Void) -> DownloadOptions {
    var options = DownloadOptions()
    set(&options)
    return options
  }

  func checkDigest() throws(NetworkError) {
    guard let sha256 else { return }
    guard sha256.utf8.count == 64, sha256.allSatisfy(\.isHexDigit) else {
      throw NetworkError(.invalidParameters, reason: "invalid SHA-256 digest: expected 64 hexadecimal digits")
    }
  }
}
