import Foundation
import Signals

/// One download to a file: its part, and the requests that fill it.
///
/// An attempt that fails leaves what it has received, and the next one asks for the rest: a retry, or a later download.
struct Download: Sendable {
  let scope: ClientScope
  let request: any RequestConvertible
  let options: DownloadOptions
  let watch: RequestTraits.Watch
  private let part: PartFile
  private let queue: PartQueue

  init(
    _ scope: ClientScope, _ request: any RequestConvertible, to file: URL, _ options: DownloadOptions,
    watch: @escaping RequestTraits.Watch
  ) {
    // The part belongs to the identity that begins it.
    self.scope = scope.bound
    self.request = request
    self.options = options
    self.watch = watch
    part = PartFile(file, options)
    queue = .queue(of: file)
  }

  /// The response, when the file is at its destination.
  var signal: Signal<Response<URL>, NetworkError> {
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
    // No request has been sent that would give the error its message and its presentation style.
    return opened.mapError { scope.worded($0, for: request) }
      .then(received())
      .observe(on: queue.scheduler)
      // Closed before the end is delivered: its handler may download again.
      .on(failure: { _ in part.close() }, completion: { part.close() })
      .finally { queue.schedule { part.close() } }
  }

  /// Returns the requests that fill the part, one after another.
  private func received() -> Signal<Response<URL>, NetworkError> {
    let source = PartRequest(request: request, part: part)
    let one = scope.streamed(source, watch: watch) { receive($0, of: $1) }
    return one.concat(.deferred { part.takeContinuation() ? received() : .empty })
  }

  private func receive(
    _ pieces: Signal<Response<Data>, NetworkError>, of sent: HTTPRequest
  ) -> Signal<Response<URL>, NetworkError> {
    Signal { observer in
      let latest = Guarded<Response<Data>?>(nil)
      let isDisposed: @Sendable () -> Bool = { observer.isDisposed }
      return pieces.observe(on: queue.scheduler).subscribe { event in
        // A transport that answers synchronously cannot be disposed yet.
        if observer.isDisposed { return }
        do throws(NetworkError) {
          switch event {
          case .value(let piece):
            let isFirst = latest.withLock { latest in
              defer { latest = piece }
              return latest == nil
            }
            if isFirst, try !begin(with: piece, of: sent) { return observer.complete() }
            try part.write(piece.value)
          case .failed(let error):
            part.pause()
            guard error.code == .status(416), let response = error.response else {
              return observer.fail(error)
            }
            end(observer, response.replacing(Data())) { () throws(NetworkError) in
              // Of a request for the entire file, 416 is an error like any other.
              let outcome = try part.end(after: response.head, of: sent, isDisposed)
              if outcome == .closed { throw error }
              return outcome
            }
          case .completed:
            guard let last = latest.withLock({ $0 }) else { return observer.complete() }
            end(observer, last) { () throws(NetworkError) in try part.finish(isDisposed) }
          }
        } catch {
          fail(observer, error, latest.withLock { $0 })
        }
      }
    }
  }

  private func begin(with response: Response<Data>, of sent: HTTPRequest) throws(NetworkError) -> Bool {
    // The bodies of other statuses are not the content, and 204 has none.
    guard [200, 201, 203, 206].contains(response.statusCode) else {
      throw NetworkError(
        .status(response.statusCode), reason: "the status is \(response.statusCode)", response: response)
    }
    return try part.begin(response.head, of: sent)
  }

  /// Ends a response: with the file, or without it if another request must follow.
  private func end(
    _ observer: Observer<Response<URL>, NetworkError>, _ last: Response<Data>,
    _ finish: () throws(NetworkError) -> PartWriter.Outcome
  ) {
    do throws(NetworkError) {
      switch try finish() {
      case .finished: observer.complete(with: last.replacing(part.paths.destination))
      case .incomplete, .closed: observer.complete()
      }
    } catch {
      fail(observer, error, last)
    }
  }

  private func fail(
    _ observer: Observer<Response<URL>, NetworkError>, _ error: NetworkError, _ response: Response<Data>?
  ) {
    var error = error
    error.request = error.request ?? response?.request
    error.response = error.response ?? response?.replacing(Data())
    observer.fail(error)
  }
}

/// The request of a download, which asks for the bytes after those of the part.
private struct PartRequest: RequestConvertible {
  let request: any RequestConvertible
  let part: PartFile

  func asRequest() throws(NetworkError) -> Request {
    var request = try request.asRequest()
    // The ranges of a compressed body are those of its compressed bytes.
    if request.headers["Accept-Encoding"] == nil { request.headers["Accept-Encoding"] = "identity" }
    guard part.isResumable else { return request }
    let range = part.range
    request.headers["Range"] = range.map { "bytes=\($0.start)-" }
    request.headers["If-Range"] = range?.validator
    return request
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
    let service = try configuration.builder.find(request).service?.id.rawValue
    var text = ""
    for part in [content, service, identity?.identity.account, identity?.identity.environment?.text] {
      text.appendPart(part ?? "")
    }
    return SHA256.hash(Data(text.utf8)).hexadecimal
  }
}
