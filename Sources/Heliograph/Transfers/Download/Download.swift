import Foundation
import Signals

/// A download to a file: the writer of its part file, and the requests that fill it.
///
/// The received bytes remain after a failure; a retry or a later download requests the rest.
struct Download: Sendable {
  let scope: ClientScope
  let request: any RequestConvertible
  let options: DownloadOptions
  /// Whether a 304 is a failure, because the caller expects a file.
  let expectsOneValue: Bool
  let watch: RequestTraits.Watch
  private let partWriter: PartWriter
  private let queue: PartQueue

  init(
    _ scope: ClientScope, _ request: any RequestConvertible, to file: URL, _ options: DownloadOptions,
    expectsOneValue: Bool, watch: @escaping RequestTraits.Watch
  ) {
    // The part file belongs to the identity at the start.
    self.scope = scope.bound
    self.request = request
    self.options = options
    self.expectsOneValue = expectsOneValue
    self.watch = watch
    partWriter = PartWriter(file, options)
    queue = .queue(of: file)
  }

  var signal: RequestRun.Results {
    let (partWriter, queue) = (partWriter, queue)
    let opening = Signal<Void, NetworkError> { observer in
      queue.schedule {
        if observer.isDisposed { return }
        do throws(NetworkError) {
          try options.checkDigest()
          let request = try request.asRequest()
          let resumes = options.resumes && request.method == .get && request.headers["Range"] == nil
          try partWriter.open(key: try scope.key(of: request, options.id), resumes: resumes) { observer.isDisposed }
          observer.complete(with: ())
        } catch {
          observer.fail(error)
        }
      }
      return nil
    }
    // No request has been sent, so the error has no message and presentation style yet.
    return opening.mapError { scope.withAppMessage($0, for: request) }
      .then(requests())
      .observe(on: queue.scheduler)
      // Closed before the end is delivered: its handler may download again.
      .on(failure: { _ in partWriter.close() }, completion: { partWriter.close() })
      .finally { queue.schedule { partWriter.close() } }
  }

  /// Returns the results of the requests that fill the part file, one after another.
  private func requests() -> RequestRun.Results {
    let needsAnotherRequest = Once()
    let single = scope.streamed(request, expectsOneValue: expectsOneValue, watch: watch, adjust: resume) {
      receive($0, of: $1, needsAnotherRequest)
    }
    return single.signal.concat(.deferred { needsAnotherRequest.isClaimed ? requests() : .empty })
  }

  /// Adds a range to an attempt's request, from the end of the part file on.
  private func resume(_ request: inout Request) {
    // Not compressed, because a range of a compressed body counts compressed bytes.
    if request.headers["Accept-Encoding"] == nil { request.headers["Accept-Encoding"] = "identity" }
    guard let range = partWriter.range else { return }
    request.headers["Range"] = "bytes=\(range.start)-"
    request.headers["If-Range"] = range.validator
  }

  /// Returns the response when the file is complete, or claims `needsAnotherRequest` and returns none.
  private func receive(
    _ pieces: RequestRun.Results, of sent: HTTPRequest, _ needsAnotherRequest: Once
  ) -> RequestRun.Results {
    Signal { observer in
      let latest = Guarded<Response<Data>?>(nil)
      let isDisposed: @Sendable () -> Bool = { observer.isDisposed }
      return pieces.observe(on: queue.scheduler).subscribe(for: observer) { event in
        var response = latest.withLock { $0 }
        let outcome: PartWriter.Outcome
        do throws(NetworkError) {
          switch event {
          case .value(let piece):
            latest.withLock { $0 = piece }
            let isFirst = response == nil
            response = piece
            // The validators may have accepted a 416.
            if isFirst, piece.statusCode == 416,
              let result = try partWriter.finish(sent, refused: piece.head, isDisposed)
            {
              outcome = result
            } else {
              guard isFirst, try !begin(with: piece, of: sent) else {
                return try partWriter.write(piece.value, of: sent)
              }
              outcome = .incomplete
            }
          case .failed(var error):
            error.marks.isAfterProgress = partWriter.pause()
            // A validator may have thrown an error with another code.
            guard let rejection = error.response, rejection.statusCode == 416 else { return observer.fail(error) }
            response = rejection.replacing(Data())
            // A 416 to a request without a range is an ordinary error.
            guard let result = try partWriter.finish(sent, refused: rejection.head, isDisposed) else { throw error }
            outcome = result
          case .completed:
            outcome = response == nil ? .closed : try partWriter.finish(sent, isDisposed)
          }
        } catch {
          return observer.fail(error.attaching(response?.replacing(Data())))
        }
        if outcome == .incomplete { needsAnotherRequest.claim() }
        guard outcome == .finished, let response else { return observer.complete() }
        observer.complete(with: response.withReadValue(partWriter.paths.destination))
      }
    }
  }

  private func begin(with response: Response<Data>, of sent: HTTPRequest) throws(NetworkError) -> Bool {
    // Other statuses have another content or, like 204, none.
    guard [200, 201, 203, 206].contains(response.statusCode) else {
      throw NetworkError(
        .status(response.statusCode), reason: "HTTP status \(response.statusCode)", response: response)
    }
    return try partWriter.begin(response.head, of: sent)
  }
}

extension ClientScope {
  /// Returns the checksum of a content's identity: its ID or URL, the service, the account and the environment.
  fileprivate func key(of request: Request, _ id: String?) throws(NetworkError) -> String {
    let service = try configuration.builder.resolve(request).service
    var content = id
    if content == nil {
      var unsigned = request
      unsigned.options.isSigned = false
      content = try configuration.builder.build(unsigned, json: configuration.json).url
        .cacheAddress(ignoring: service?.ignoredParameters ?? [])
    }
    var text = ""
    for component in [content, service?.id.rawValue, identity?.identity.account, identity?.identity.environment?.text] {
      // An empty account is not the lack of one.
      text.appendComponent(component.map { "=" + $0 } ?? "")
    }
    return SHA256.hash(Data(text.utf8)).hexadecimal
  }
}

/// The settings of a download to a file.
public struct DownloadOptions: Sendable, Hashable {
  /// The identity of the content; a part is resumed only if its identity matches.
  ///
  /// Set it if the URL changes between the downloads of one file, as a URL does that a server has signed. A part of
  /// another identity, account, environment or service is discarded as soon as a response begins. Default: `nil`, the
  /// URL of the request after its filters, without its signature and ``Service/ignoredParameters``.
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
  /// old file remains until the download is complete, and the new file gets the permissions of the old one if the user
  /// owns it; the file of another user adds no permission.
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
