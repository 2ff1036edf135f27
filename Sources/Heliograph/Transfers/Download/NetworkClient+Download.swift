public import Foundation
public import Signals

extension NetworkClient {
  /// Sends a request and saves the body to a file, which appears at its destination when the download is complete.
  ///
  /// ```swift
  /// for try await step in client.download(request: "/film", to: file).values {
  ///   if let progress = step.progress { print(progress) }
  /// }
  /// ```
  /// The body is written to `file.part` beside the destination, with a journal. If the download is disposed or fails,
  /// or the process ends, both files remain. A retry or the next download to the same destination verifies the part's
  /// checksums and requests the remaining bytes (`Range` and `If-Range`, RFC 9110 §14.2). The part is discarded if the
  /// server has no strong validator, the content has changed, or the part has another ``DownloadOptions/id``, service,
  /// account or environment. If the server sends a different range, or one without the validator, the entire file is
  /// requested again; a date may be missing if the file has the same length (RFC 9110 §15.3.7). A 416 that confirms the
  /// size of the part completes the download; any other 416 restarts it. Requests that continue or restart a download
  /// count as separate requests for retries, total timeouts and monitors. Once two parts have been discarded, no
  /// further range is requested.
  ///
  /// A successful response is the content if its status is 200, 201, 203 or 206; any other fails with its status. A
  /// `file.part` without a journal belongs to another program and fails the download with
  /// ``NetworkError/Code/cannotCreateFile`` unless it is empty. A name is shortened for the part if the file system
  /// does not allow 13 bytes more.
  ///
  /// The request passes the same stages as every request; validators see an empty body. The envelope of a success is
  /// not opened: a failure reported in it is saved as the content, and recoveries by its code do not apply. Memory is
  /// constant, except when the disk is slower than the network over a `URLSession`: on Linux it cannot pause, and on
  /// Apple's platforms it may go on delivering, until the download fails with ``NetworkError/Code/responseTooLarge`` at
  /// about 64 MiB and keeps its part. To resume, the whole journal is read: 30 bytes for each 256 KiB of the part, and
  /// the part in pieces, before the request is sent. No content coding is requested, and none is decoded, except that a
  /// `URLSession` also decodes one that was not requested. The file is synced before it replaces an existing one. If
  /// the destination is a symbolic link, the link itself is replaced, not its target.
  ///
  /// Files are read and written on a serial queue of the destination. Progress is delivered on the thread on which the
  /// transport reports it: do not block it. A count that is reported only at the end, the result and failures on that
  /// queue. Disposal does not wait for the disk: the part is closed on the queue before another download of this
  /// process opens it.
  /// - Parameters:
  ///   - request: The request to send.
  ///   - file: The location of the file to create.
  ///   - options: The settings. Default: see ``DownloadOptions``.
  /// - Returns: The signal of the progress and the response. Besides the failures of every request, it fails with
  ///   ``NetworkError/Code/cannotCreateFile``, ``NetworkError/Code/cannotWriteFile``, ``NetworkError/Code/diskFull``,
  ///   ``NetworkError/Code/fileInUse``, ``NetworkError/Code/digestMismatch``, ``NetworkError/Code/invalidParameters``
  ///   for a malformed digest, and ``NetworkError/Code/responseTooLarge`` for a file beyond
  ///   ``ResponseLimits/streamedByteCount``, which keeps the part for a download with a higher limit. A 304 to a
  ///   conditional request completes the signal without a response.
  public func download(
    request: some RequestConvertible, to file: URL, options: DownloadOptions = DownloadOptions()
  ) -> Signal<Transfer<Response<URL>>, NetworkError> {
    saving(request, file, options).typed(as: URL.self).named(after: request)
  }

  /// Sends a request, which may be a string literal, and saves the body to a file.
  ///
  /// The parameters are those of ``download(request:to:options:)-(RequestConvertible,_,_)``.
  public func download(
    request: Request, to file: URL, options: DownloadOptions = DownloadOptions()
  ) -> Signal<Transfer<Response<URL>>, NetworkError> {
    download(request: request.general, to: file, options: options)
  }

  func saving(
    _ request: any RequestConvertible, _ file: URL, _ options: DownloadOptions, expectsOneValue: Bool = false
  ) -> ClientScope.TransferResults {
    scope.transfer(of: request) {
      Download($0, request, to: file, options, expectsOneValue: expectsOneValue, watch: $1).signal
    }
  }
}
