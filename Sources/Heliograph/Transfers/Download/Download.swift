import Foundation
import Signals

/// One download to a file: its part, and the requests that fill it.
///
/// An attempt that fails leaves what it has received, and the next one asks for the rest: a retry, or a later download.
struct Download: Sendable {
  let core: Core
  let request: any RequestConvertible
  let paths: PartPaths
  let options: DownloadOptions
  let watch: Core.Watch
  /// Reads, verifies and writes the part: the transport does not wait for the disk.
  private let queue = DispatchScheduler.serial("Heliograph.Download")

  init(
    _ core: Core, _ request: any RequestConvertible, to file: URL, _ options: DownloadOptions,
    watch: @escaping Core.Watch
  ) {
    // The part belongs to the identity that begins it.
    self.core = core.bound()
    self.request = request
    paths = PartPaths(file)
    self.options = options
    self.watch = watch
  }

  /// The response, when the file is at its destination.
  var signal: Signal<Response<URL>, NetworkError> {
    let opened = Signal<PartFile, NetworkError> { observer in
      let opening = PartOpening(paths)
      queue.schedule {
        if observer.isDisposed { return }
        do throws(NetworkError) {
          try options.digest?.check()
          let key = try core.key(of: try request.asRequest(), options.id)
          if let part = try opening.open(key: key, options) { observer.complete(with: part) }
        } catch {
          observer.fail(error)
        }
      }
      return Disposable { opening.cancel() }
    }
    // No request has been sent that would give the error its message and its presentation style.
    return opened.mapError { core.worded($0, for: request) }.flatMap { part in
      // Closed before the end is delivered: its handler may download again.
      received(into: part).on(failure: { _ in part.close() }, completion: { part.close() }).finally { part.close() }
    }
  }

  /// Returns the requests that fill the part, one after another.
  private func received(into part: PartFile) -> Signal<Response<URL>, NetworkError> {
    let source = PartRequest(request: request, part: part, options: options)
    let one = core.streamed(source, watch: watch) { receive($0, of: $1, into: part) }
    return one.concat(.deferred { part.takeContinuation() ? received(into: part) : .empty })
  }

  private func receive(
    _ pieces: Signal<Response<Data>, NetworkError>, of sent: HTTPRequest, into part: PartFile
  ) -> Signal<Response<URL>, NetworkError> {
    Signal { observer in
      let latest = Guarded<Response<Data>?>(nil)
      return pieces.observe(on: queue).subscribe { event in
        // A transport that answers synchronously cannot be disposed yet.
        if observer.isDisposed { return }
        do throws(NetworkError) {
          switch event {
          case .value(let piece):
            let isFirst = latest.withLock { latest in
              defer { latest = piece }
              return latest == nil
            }
            if isFirst, try !begin(part, with: piece, of: sent) { return observer.complete() }
            try part.write(piece.value)
          case .failed(let error):
            part.pause()
            guard error.domain == .server, error.code == 416, let response = error.response else {
              return observer.fail(error)
            }
            end(observer, response.replacing(Data())) { () throws(NetworkError) in
              // Of a request for the entire file, 416 is an error like any other.
              let outcome = try part.end(after: response.head)
              if outcome == .closed { throw error }
              return outcome
            }
          case .completed:
            guard let last = latest.withLock({ $0 }) else { return observer.complete() }
            end(observer, last) { () throws(NetworkError) in try part.finish() }
          }
        } catch {
          fail(observer, error, latest.withLock { $0 })
        }
      }
    }
  }

  private func begin(
    _ part: PartFile, with response: Response<Data>, of sent: HTTPRequest
  ) throws(NetworkError) -> Bool {
    // A validator may accept other statuses, but their bodies are not the content.
    guard (200..<300).contains(response.statusCode) else {
      let code = NetworkError.Code(rawValue: response.statusCode)
      throw NetworkError(.server, code, reason: "the status is \(response.statusCode)", response: response)
    }
    return try part.begin(response.head, of: sent)
  }

  /// Ends a response: with the file, or without it if another request must follow.
  private func end(
    _ observer: Observer<Response<URL>, NetworkError>, _ last: Response<Data>,
    _ finish: () throws(NetworkError) -> PartFile.Outcome
  ) {
    do throws(NetworkError) {
      switch try finish() {
      case .finished: observer.complete(with: last.replacing(paths.destination))
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
  let options: DownloadOptions

  func asRequest() throws(NetworkError) -> Request {
    var request = try request.asRequest()
    // The ranges of a compressed body are those of its compressed bytes.
    if request.headers["Accept-Encoding"] == nil { request.headers["Accept-Encoding"] = "identity" }
    guard options.resumes, request.method == .get, request.headers["Range"] == nil, let range = part.nextRange() else {
      return request
    }
    request.headers["Range"] = "bytes=\(range.start)-"
    request.headers["If-Range"] = range.validator
    return request
  }
}

extension Core {
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
    for part in [content, service, identity?.account, identity?.environment?.text] { text.appendPart(part ?? "") }
    return SHA256.hash(Data(text.utf8)).hexadecimal
  }
}
