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
  /// The body is written to `file.part` beside the destination, with a journal. If the download is disposed or fails, or the
  /// process ends, both files stay. A retry or the next download to the same destination verifies the part's checksums and
  /// requests the remaining bytes (`Range` and `If-Range`, RFC 9110 §14.2). The part is discarded if the server has no
  /// strong validator, if the content has changed, or if the part has another ``DownloadOptions/id``, account or
  /// environment. If the server sends a different range, the entire file is requested again. A 416 that confirms the size
  /// of the part completes the download; any other one starts over. Requests that continue or restart a download are
  /// requests of their own for retries, total timeouts and monitors. After two parts that did not fit, no further range is
  /// requested.
  ///
  /// The request passes the stages of every request; validators see an empty body. Memory is constant, except over a
  /// `URLSession` on Linux, which cannot pause while the disk is slower than the network. No content coding is requested, and
  /// nothing is decoded; a `URLSession` also decodes a coding that was not requested. The file is synced before it replaces an
  /// existing one. A symbolic link at the destination is replaced itself.
  ///
  /// Files are read and written on a queue of the download's own. Progress is delivered on the thread on which the
  /// transport reports it, the result on that queue. Disposal keeps the part and releases its lock; it may wait for one
  /// write to the disk.
  /// - Parameters:
  ///   - request: the request.
  ///   - file: the file to create.
  ///   - options: the settings. Default: see ``DownloadOptions``.
  /// - Returns: the signal. Besides the failures of every request, it fails with
  ///   ``NetworkError/Code/cannotCreateFile``, ``NetworkError/Code/cannotWriteFile``, ``NetworkError/Code/diskFull``,
  ///   ``NetworkError/Code/fileInUse``, ``NetworkError/Code/digestMismatch``, ``NetworkError/Code/invalidParameters`` for a
  ///   malformed digest, and ``NetworkError/Code/responseTooLarge`` for a file beyond ``ResponseLimits/streamedByteCount``. A
  ///   304 completes it without a result.
  @_disfavoredOverload
  public func download(
    request: some RequestConvertible, to file: URL, options: DownloadOptions = DownloadOptions()
  ) -> Signal<Transfer<URL>, NetworkError> {
    transfer(request) { [core] watch in Download(core, request, to: file, options, watch: watch).signal }
      .map { step in
        switch step {
        case .progress(let progress): .progress(progress)
        case .finished(let response): .finished(response.value)
        }
      }
  }
}
