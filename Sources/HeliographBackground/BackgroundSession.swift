#if canImport(Darwin)
import Foundation
import Heliograph

/// A background session with its delegate, one per identifier for the life of the process.
final class BackgroundSession: Sendable {
  private static let sessions = Guarded<[String: BackgroundSession]>([:])
  static let events = BackgroundEventTable()
  /// The folders that this process has cleaned.
  private static let cleaned = Guarded<Set<URL>>([])

  /// The error of every request if the session cannot work.
  let refusal: NetworkError?
  let responses: StoredResponses
  private let delegate: BackgroundDelegate
  private let session: URLSession
  /// The requests that wait until the tasks of earlier processes are known; `nil` afterwards.
  private let waiting = Guarded<[@Sendable () -> Void]?>([])
  /// Whether the system has invalidated the session; creating a task would then raise an exception.
  private let isInvalid = Guarded(false)

  /// Returns the process's session with an identifier: the system supports one per identifier.
  static func shared(_ identifier: String, group: String?, isDiscretionary: Bool, trust: Trust) -> BackgroundSession {
    sessions.withLock { sessions in
      if let session = sessions[identifier] { return session }
      let session = BackgroundSession(identifier, group, isDiscretionary, trust)
      sessions[identifier] = session
      return session
    }
  }

  /// Whether the session cannot work, so that it has no events.
  static func isRefused(_ identifier: String) -> Bool {
    sessions.withLock { $0[identifier]?.refusal != nil }
  }

  /// Removes an invalidated session: its requests fail, and a new transport creates a new one.
  static func drop(_ identifier: String) {
    guard let session = sessions.withLock({ $0.removeValue(forKey: identifier) }) else { return }
    session.isInvalid.withLock { $0 = true }
    events.update(identifier) { $0.abandon() }
    // The system may never name the tasks of earlier processes.
    session.begin(with: [])
  }

  private init(_ identifier: String, _ group: String?, _ isDiscretionary: Bool, _ trust: Trust) {
    let files = FileManager.default
    let container = group.flatMap { files.containerURL(forSecurityApplicationGroupIdentifier: $0) }
    responses = StoredResponses(folder: BackgroundRules.folder(identifier, in: BackgroundRules.base(container, files)))
    var refusal = BackgroundRules.refusal(
      identifier, group: group, hasContainer: container != nil, bundlePath: Bundle.main.bundlePath, trust: trust)
    // A session that would be refused by the system is not created.
    let configuration: URLSessionConfiguration =
      refusal == nil ? .background(withIdentifier: identifier) : .ephemeral
    configuration.sharedContainerIdentifier = group
    configuration.storeNothing()
    configuration.isDiscretionary = isDiscretionary
    configuration.timeoutIntervalForRequest = StoredResponses.lifetime
    configuration.timeoutIntervalForResource = StoredResponses.lifetime
    var base = SessionDelegate()
    do throws(NetworkError) {
      base = try SessionDelegate(trust, for: configuration)
    } catch {
      refusal = refusal ?? error
    }
    self.refusal = refusal
    delegate = BackgroundDelegate(base, responses, identifier, BackgroundSession.events)
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    if self.refusal != nil { BackgroundSession.events.update(identifier) { $0.finish() } }
    session.getAllTasks { [self] tasks in session.delegateQueue.addOperation { self.begin(with: tasks) } }
  }

  private func begin(with tasks: [URLSessionTask]) {
    // Once in a process: what is being delivered is not restored.
    if BackgroundSession.cleaned.withLock({ $0.insert(responses.folder).inserted }) { responses.clean() }
    delegate.adopt(tasks)
    for work in waiting.withLock({ $0.take() }) ?? [] { work() }
  }

  /// Runs work on the session's queue once the tasks of earlier processes are known.
  private func whenReady(_ work: @escaping @Sendable () -> Void) {
    let isReady = waiting.withLock { waiting in
      waiting?.append(work)
      return waiting == nil
    }
    if isReady { session.delegateQueue.addOperation(work) }
  }

  /// Returns the exchange of a request, whose body is empty or a file.
  func exchange(_ request: HTTPRequest, _ taskDescription: BackgroundTaskDescription) -> Signal<
    TransportEvent, NetworkError
  > {
    Signal { [self] observer in
      let started = Guarded<URLSessionTask?>(nil)
      whenReady {
        // The identity changed meanwhile, which the fence reports to the caller.
        if observer.isDisposed || request.isStale { return }
        let task = self.start(request, taskDescription, observer)
        started.withLock { $0 = task }
      }
      return Disposable { [self] in
        // On the queue that starts tasks, so that a start and a cancellation cannot overlap.
        session.delegateQueue.addOperation {
          guard let task = started.withLock({ $0 }).map(self.delegate.current),
            self.delegate.base.exchanges.remove(task) != nil
          else { return }
          // An earlier process may have written the body; once the description is removed, its file is unknown.
          if let name = BackgroundTaskDescription(task.taskDescription)?.fileName {
            self.responses.removeFile(named: name)
          }
          // A response that has arrived is not needed, and one that still arrives is not stored.
          if let key = BackgroundTaskDescription(task.taskDescription)?.key { self.responses.removeTaken(key) }
          task.taskDescription = nil
          task.cancel()
        }
      }
    }
  }

  private func start(
    _ request: HTTPRequest, _ taskDescription: BackgroundTaskDescription,
    _ observer: Observer<TransportEvent, NetworkError>
  ) -> URLSessionTask? {
    do throws(NetworkError) {
      if let (head, file, key) = try responses.take(answering: request, taskDescription.key) {
        let taskDescription = BackgroundTaskDescription(key: key)
        delegate.deliver(file, after: head, of: taskDescription, Metrics(), to: observer, in: session)
        return nil
      }
    } catch {
      observer.fail(error.attaching(request))
      return nil
    }
    if isInvalid.withLock({ $0 }) {
      observer.fail(
        NetworkError(.invalidTransport, reason: "the session was invalidated by the system", request: request))
      return nil
    }
    let earlier = delegate.claim(taskDescription.key)
    // The system raises an exception for a file that it cannot read.
    if earlier == nil, case .file(let url) = request.body, url.readableByteCount == nil {
      observer.fail(request.failure(ofFile: url))
      return nil
    }
    // The session itself waits for a network and resends, even after a timeout; its limit applies to the whole task.
    var taskRequest = request
    taskRequest.idleTimeout = .seconds(StoredResponses.lifetime)
    let task = earlier?.task ?? makeTask(taskRequest, taskDescription)
    if earlier == nil { task.taskDescription = taskDescription.text }
    if request.priority != .normal { task.priority = request.priority.ofTask }
    delegate.base.exchanges.add(SessionExchange(observer, task, taskRequest, isAdopted: earlier != nil))
    if let body = earlier?.body, let task = task as? URLSessionDataTask {
      delegate.urlSession(session, dataTask: task, didReceive: body)
    }
    task.resume()
    return task
  }

  private func makeTask(_ request: HTTPRequest, _ description: BackgroundTaskDescription) -> URLSessionTask {
    guard case .file(let url) = request.body else {
      // The range of the resume data would replace the caller's, and so would its signature.
      if let data = responses.takeResumeData(description.resumeKey(for: request.url)),
        request.headers["Range"] == nil, request.context.signatureFields.isEmpty
      {
        let task = session.downloadTask(withResumeData: data)
        delegate.markResumed(task)
        return task
      }
      return session.downloadTask(with: URLRequest(request))
    }
    return session.uploadTask(with: URLRequest(request), fromFile: url.resolvingSymlinksInPath())
  }
}

/// A handler of the app, called once on the main actor.
@MainActor final class BackgroundHandler {
  let call: () -> Void

  init(_ call: @escaping () -> Void) { self.call = call }
}

/// The handlers of all sessions, including future ones.
final class BackgroundEventTable: Sendable {
  private let events = Guarded<[String: BackgroundEvents<BackgroundHandler>]>([:])

  /// Updates the events of a session, and calls the due handlers.
  func update(
    _ identifier: String, _ update: (inout BackgroundEvents<BackgroundHandler>) -> [BackgroundHandler]
  ) {
    let due = events.withLock { update(&$0[identifier, default: BackgroundEvents()]) }
    if due.isEmpty { return }
    Task { @MainActor in
      for handler in due { handler.call() }
    }
  }
}
#endif
