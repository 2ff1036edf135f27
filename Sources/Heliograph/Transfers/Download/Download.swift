import Foundation
import Signals

/// One download to a file: its part, and the requests that fill it.
///
/// A failed attempt leaves the received bytes, and the next one requests the rest: a retry or a later download.
struct Download: Sendable {
  let scope: ClientScope
  let request: any RequestConvertible
  let options: DownloadOptions
  let watch: RequestTraits.Watch
  private let part: PartWriter
  private let queue: PartQueue

  init(
    _ scope: ClientScope, _ request: any RequestConvertible, to file: URL, _ options: DownloadOptions,
    watch: @escaping RequestTraits.Watch
  ) {
    // The part belongs to the identity at the start.
    self.scope = scope.bound
    self.request = request
    self.options = options
    self.watch = watch
    part = PartWriter(file, options)
    queue = .queue(of: file)
  }

  /// The response, when the file is at its destination.
  var signal: RequestRun.Results {
    let (part, queue) = (part, queue)
    let opened = Signal<Void, NetworkError> { observer in
      queue.schedule {
        if observer.isDisposed { return }
        do throws(NetworkError) {
          try options.checkDigest()
          let request = try request.asRequest()
          let resumes = options.resumes && request.method == .get && request.headers["Range"] == nil
          try part.open(key: try scope.key(of: request, options.id), resumes: resumes) { observer.isDisposed }
          observer.complete(with: ())
        } catch {
          observer.fail(error)
        }
      }
      return nil
    }
    // No request has been sent that would give the error its message and presentation style.
    return opened.mapError { scope.withAppMessage($0, for: request) }
      .then(received())
      .observe(on: queue.scheduler)
      // Closed before the end is delivered: its handler may download again.
      .on(failure: { _ in part.close() }, completion: { part.close() })
      .finally { queue.schedule { part.close() } }
  }

  /// Returns the requests that fill the part, one after another.
  private func received() -> RequestRun.Results {
    let isIncomplete = Once()
    let one = scope.streamed(request, watch: watch, adjust: resume) { receive($0, of: $1, isIncomplete) }
    return one.signal.concat(.deferred { isIncomplete.isClaimed ? received() : .empty })
  }

  /// Changes an attempt's request to request only the bytes after those of the part.
  private func resume(_ request: inout Request) {
    // The ranges of a compressed body refer to its compressed bytes.
    if request.headers["Accept-Encoding"] == nil { request.headers["Accept-Encoding"] = "identity" }
    guard let range = part.range else { return }
    request.headers["Range"] = "bytes=\(range.start)-"
    request.headers["If-Range"] = range.validator
  }

  /// Returns the file, or `nil` if another request must follow, which claims `isIncomplete`.
  private func receive(
    _ pieces: RequestRun.Results, of sent: HTTPRequest, _ isIncomplete: Once
  ) -> RequestRun.Results {
    Signal { observer in
      let latest = Guarded<Response<Data>?>(nil)
      let isDisposed: @Sendable () -> Bool = { observer.isDisposed }
      return pieces.observe(on: queue.scheduler).subscribe { event in
        // A transport that answers synchronously cannot be disposed yet.
        if observer.isDisposed { return }
        var response = latest.withLock { $0 }
        let outcome: PartWriter.Outcome
        do throws(NetworkError) {
          switch event {
          case .value(let piece):
            latest.withLock { $0 = piece }
            let isFirst = response == nil
            response = piece
            guard isFirst, try !begin(with: piece, of: sent) else { return try part.write(piece.value, of: sent) }
            outcome = .incomplete
          case .failed(let error):
            part.pause()
            guard error.code == .status(416), let refusal = error.response else { return observer.fail(error) }
            response = refusal.replacing(Data())
            // For a request of the entire file, 416 is an error like any other.
            guard let end = try part.finish(sent, refused: refusal.head, isDisposed) else { throw error }
            outcome = end
          case .completed:
            outcome = response == nil ? .closed : try part.finish(sent, isDisposed)
          }
        } catch {
          return fail(observer, error, response)
        }
        if outcome == .incomplete { isIncomplete.claim() }
        guard outcome == .finished, let response else { return observer.complete() }
        observer.complete(with: response.withReadValue(part.paths.destination))
      }
    }
  }

  private func begin(with response: Response<Data>, of sent: HTTPRequest) throws(NetworkError) -> Bool {
    // The bodies of other statuses are not the content, and 204 has none.
    guard [200, 201, 203, 206].contains(response.statusCode) else {
      throw NetworkError(
        .status(response.statusCode), reason: "HTTP status \(response.statusCode)", response: response)
    }
    return try part.begin(response.head, of: sent)
  }

  private func fail(
    _ observer: Observer<Response<Data>, NetworkError>, _ error: NetworkError, _ response: Response<Data>?
  ) {
    var error = error
    error.request = error.request ?? response?.request
    error.response = error.response ?? response?.replacing(Data())
    observer.fail(error)
  }
}

extension ClientScope {
  /// Returns the checksum of a content's identity: its own, or the URL, with those of the client.
  fileprivate func key(of request: Request, _ id: String?) throws(NetworkError) -> String {
    var unsigned = request
    unsigned.options.isSigned = false
    var content = id
    if content == nil {
      content = try configuration.builder.build(unsigned, json: configuration.json).url.absoluteString
    }
    let service = try configuration.builder.resolve(request).service?.id.rawValue
    var text = ""
    for part in [content, service, identity?.identity.account, identity?.identity.environment?.text] {
      text.appendComponent(part ?? "")
    }
    return SHA256.hash(Data(text.utf8)).hexadecimal
  }
}
