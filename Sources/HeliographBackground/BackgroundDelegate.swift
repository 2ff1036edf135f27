#if canImport(Darwin)
import Foundation
import Heliograph

/// The delegate of a background session, called on its serial queue: stores responses to earlier processes, and
/// forwards all other events.
final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
  private struct State {
    /// The tasks of earlier processes, by the keys of their requests.
    var earlierTasks: [String: [URLSessionTask]] = [:]
    /// The received response bytes of earlier uploads, by task identifier.
    var bodies: [Int: Data] = [:]
    /// The earlier tasks whose response is too large to store.
    var oversized: Set<Int> = []
    /// The downloads that the system was asked to resume.
    var resumed: Set<Int> = []
    /// The tasks of downloads that have started over, by the tasks that could not be resumed.
    var restarted: [Int: URLSessionTask] = [:]
  }

  /// The maximum size of a stored response to an upload.
  private static let storedByteLimit = 1 << 20

  /// The delegate of the exchanges in flight.
  let base: SessionDelegate
  let responses: StoredResponses
  private let events: BackgroundEventTable
  private let identifier: String
  private let state = Guarded(State())

  init(_ base: SessionDelegate, _ responses: StoredResponses, _ identifier: String, _ events: BackgroundEventTable) {
    self.base = base
    self.responses = responses
    self.identifier = identifier
    self.events = events
  }

  /// Adds the tasks of earlier processes.
  func adopt(_ tasks: [URLSessionTask]) {
    for task in tasks where task.state != .completed {
      guard let taskDescription = BackgroundTaskDescription(task.taskDescription) else { continue }
      state.withLock { $0.earlierTasks[taskDescription.key, default: []].append(task) }
    }
  }

  /// Returns a task of an earlier process and the received bytes of its response, once.
  func claim(_ key: String) -> (task: URLSessionTask, body: Data?)? {
    state.withLock { state in
      state.earlierTasks[key]?.removeAll { state.oversized.contains($0.taskIdentifier) }
      guard let task = state.earlierTasks[key]?.popLast() else { return nil }
      return (task, state.bodies.removeValue(forKey: task.taskIdentifier))
    }
  }

  /// Records that a task has resume data, which the system may reject.
  func markResumed(_ task: URLSessionTask) { _ = state.withLock { $0.resumed.insert(task.taskIdentifier) } }

  /// Returns the task that has replaced a task, or else the task itself.
  func current(_ task: URLSessionTask) -> URLSessionTask {
    state.withLock { $0.restarted[task.taskIdentifier] } ?? task
  }

  /// Starts a download over that the system could not resume; returns whether it did.
  private func startOver(_ session: URLSession, _ task: URLSessionTask, _ error: (any Error)?) -> Bool {
    let isResumed = state.withLock { $0.resumed.remove(task.taskIdentifier) != nil }
    let status = (task.response as? HTTPURLResponse)?.statusCode
    guard isResumed,
      BackgroundRules.startsOver(after: error, status: status, hasResumeData: Self.resumeData(in: error) != nil),
      let exchange = base.exchanges.remove(task)
    else { return false }
    let next = session.downloadTask(with: URLRequest(exchange.request))
    next.taskDescription = task.taskDescription
    next.priority = task.priority
    state.withLock { $0.restarted[task.taskIdentifier] = next }
    base.exchanges.add(SessionExchange(exchange.observer, next, exchange.request))
    next.resume()
    return true
  }

  private static func resumeData(in error: (any Error)?) -> Data? {
    (error as NSError?)?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
  }

  private func isInFlight(_ task: URLSessionTask) -> Bool { base.exchanges.record(task) != nil }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    guard isInFlight(downloadTask) else {
      guard let taskDescription = BackgroundTaskDescription(downloadTask.taskDescription),
        let head = SessionDelegate.head(of: downloadTask.response, for: downloadTask)
      else { return }
      try? responses.store(location, head, for: taskDescription.key)
      return
    }
    if startOver(session, downloadTask, nil) { return }
    guard let (file, count) = keep(location, of: downloadTask) else {
      return base.fail(downloadTask, .network(NSURLErrorCannotOpenFile), "the downloaded file cannot be read")
    }
    let observer = base.observer(of: downloadTask, responding: downloadTask.response, receivedByteCount: count) {
      BackgroundRules.head($0, ofFile: count, for: $1)
    }
    if observer == nil { return removeTaken(downloadTask) }
    _ = base.exchanges.update(downloadTask) { $0.file = file }
  }

  /// Opens a downloaded file, with its size.
  ///
  /// That of a successful response is moved into the folder, where a later process finds it if this one ends before it
  /// has been delivered. Any other is removed by the session, but remains readable.
  private func keep(_ location: URL, of task: URLSessionTask) -> (FileHandle, byteCount: Int)? {
    guard let file = try? FileHandle(forReadingFrom: location) else { return nil }
    let byteCount = location.fileByteCount ?? 0
    if let key = BackgroundTaskDescription(task.taskDescription)?.key,
      let head = SessionDelegate.head(of: task.response, for: task), (200..<300).contains(head.statusCode),
      (try? responses.store(location, head, for: key)) != nil
    {
      _ = try? responses.take(key)
    }
    return (file, byteCount)
  }

  private func removeTaken(_ task: URLSessionTask) {
    if let key = BackgroundTaskDescription(task.taskDescription)?.key { responses.removeTaken(key) }
  }

  /// Delivers a file, after a head that has not been sent; the file is then removed, and the app's handler is called.
  func deliver(
    _ file: FileHandle, after head: HTTPResponse? = nil, of taskDescription: BackgroundTaskDescription?,
    _ metrics: Metrics, to observer: Observer<TransportEvent, NetworkError>, in session: URLSession
  ) {
    events.update(identifier) { events in
      events.beginDelivery()
      return []
    }
    if let head { observer.send(.head(head)) }
    FileBody(file: file, metrics: metrics, observer: observer) { [responses, events, identifier] in
      session.delegateQueue.addOperation {
        if let key = taskDescription?.key { responses.removeTaken(key) }
        events.update(identifier) { $0.endDelivery() }
      }
    }.deliver()
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    guard let exchange = base.exchanges.record(downloadTask),
      let status = (downloadTask.response as? HTTPURLResponse)?.statusCode,
      let progress = BackgroundRules.progress(
        totalBytesWritten, of: totalBytesExpectedToWrite, status: status, to: exchange.request)
    else { return }
    exchange.observer.send(progress)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    // Not paused, because the system may start a task over that is suspended in its process.
    if isInFlight(dataTask) {
      base.deliver(data, of: dataTask)
      return
    }
    let number = dataTask.taskIdentifier
    state.withLock { state in
      if state.oversized.contains(number) { return }
      state.bodies[number, default: Data()].append(data)
      guard state.bodies[number]?.count ?? 0 > BackgroundDelegate.storedByteLimit else { return }
      state.bodies[number] = nil
      state.oversized.insert(number)
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if startOver(session, task, error) { return }
    let taskDescription = BackgroundTaskDescription(task.taskDescription)
    if let name = taskDescription?.fileName { responses.removeFile(named: name) }
    let (body, isOversized) = state.withLock { state in
      if let key = taskDescription?.key {
        state.earlierTasks[key]?.removeAll { $0.taskIdentifier == task.taskIdentifier }
      }
      if let former = state.restarted.first(where: { $0.value === task })?.key { state.restarted[former] = nil }
      let isOversized = state.oversized.remove(task.taskIdentifier) != nil
      return (state.bodies.removeValue(forKey: task.taskIdentifier), isOversized)
    }
    // Also of a task of an earlier process; a disposed one has no description.
    if let data = Self.resumeData(in: error), let taskDescription {
      try? responses.storeResumeData(data, for: taskDescription.resumeKey(for: task.originalRequest?.url))
    }
    if isInFlight(task) {
      guard error == nil, let file = base.exchanges.record(task)?.file, let exchange = base.exchanges.remove(task)
      else {
        if base.exchanges.record(task)?.file != nil { removeTaken(task) }
        return base.urlSession(session, task: task, didCompleteWithError: error)
      }
      deliver(file, of: taskDescription, exchange.metrics, to: exchange.observer, in: session)
    } else if error == nil, !isOversized, task is URLSessionUploadTask, let taskDescription {
      guard let head = SessionDelegate.head(of: task.response, for: task) else { return }
      try? responses.store(body ?? Data(), head, for: taskDescription.key)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    base.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    base.urlSession(
      session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
      totalBytesExpectedToSend: totalBytesExpectedToSend)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    base.urlSession(session, task: task, didFinishCollecting: metrics)
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    events.update(identifier) { $0.finish() }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    BackgroundSession.drop(identifier)
    let failure = NetworkError(
      .invalidTransport, reason: "the session was invalidated by the system", underlying: error)
    for exchange in base.exchanges.removeAll() { exchange.observer.fail(failure.attaching(exchange.request)) }
  }
}
#endif
