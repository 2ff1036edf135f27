#if canImport(Darwin)
import Foundation
import Signals

/// A background session with its delegate: one for each identifier, for the life of the process.
final class BackgroundSession: Sendable {
  private static let sessions = Guarded<[String: BackgroundSession]>([:])
  @MainActor private static var completionHandlers: [String: [() -> Void]] = [:]

  /// The error of every request if the trust settings are not supported.
  let refusal: NetworkError?
  let kept: KeptResponses
  private let delegate: BackgroundDelegate
  private let session: URLSession
  /// The requests that wait until the tasks of earlier processes are known; `nil` afterwards.
  private let waiting = Guarded<[@Sendable () -> Void]?>([])

  /// Returns the session of the process with an identifier: the system supports only one.
  static func shared(_ identifier: String, isDiscretionary: Bool, trust: Trust) -> BackgroundSession {
    sessions.withLock { sessions in
      if let session = sessions[identifier] { return session }
      let session = BackgroundSession(identifier, isDiscretionary, trust)
      sessions[identifier] = session
      return session
    }
  }

  /// Stores a handler that is called once, when the events of a session have been delivered.
  @MainActor static func add(_ completionHandler: @escaping () -> Void, for identifier: String) {
    completionHandlers[identifier, default: []].append(completionHandler)
  }

  private init(_ identifier: String, _ isDiscretionary: Bool, _ trust: Trust) {
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    let name = SHA256.hash(Data(identifier.utf8)).hexadecimal
    kept = KeptResponses(
      folder: (caches ?? FileManager.default.temporaryDirectory).appendingPathComponent("Heliograph/Background/\(name)")
    )
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.storeNothing()
    configuration.isDiscretionary = isDiscretionary
    configuration.timeoutIntervalForRequest = KeptResponses.lifetime
    configuration.timeoutIntervalForResource = KeptResponses.lifetime
    var base = SessionDelegate()
    do throws(NetworkError) {
      base = try SessionDelegate(trust, for: configuration)
      refusal = nil
    } catch {
      refusal = error
    }
    delegate = BackgroundDelegate(base, kept) {
      Task { @MainActor in
        for handler in BackgroundSession.completionHandlers.removeValue(forKey: identifier) ?? [] { handler() }
      }
    }
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    session.getAllTasks { [self] tasks in session.delegateQueue.addOperation { self.begin(with: tasks) } }
  }

  private func begin(with tasks: [URLSessionTask]) {
    kept.removeExpired()
    delegate.adopt(tasks)
    let waiting = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting ?? []
    }
    for work in waiting { work() }
  }

  /// Runs work on the session's queue, when the tasks of earlier processes are known.
  private func whenReady(_ work: @escaping @Sendable () -> Void) {
    let isReady = waiting.withLock { waiting in
      waiting?.append(work)
      return waiting == nil
    }
    if isReady { session.delegateQueue.addOperation(work) }
  }

  /// Returns the exchange of a request, whose body is empty or a file.
  func exchange(_ request: HTTPRequest, _ note: BackgroundTaskNote) -> Signal<TransportEvent, NetworkError> {
    Signal { [self] observer in
      let started = Guarded<URLSessionTask?>(nil)
      whenReady {
        // The identity changed meanwhile; the fence reports that to the caller.
        if observer.isDisposed || request.isStale { return }
        let task = self.start(request, note, observer)
        started.withLock { $0 = task }
      }
      return Disposable { [self] in
        // On the queue of the start, so that neither misses the other.
        session.delegateQueue.addOperation {
          guard let task = started.withLock({ $0 }), self.delegate.base.exchanges.remove(task) != nil else { return }
          // What arrives all the same is not kept.
          task.taskDescription = nil
          task.cancel()
        }
      }
    }
  }

  private func start(
    _ request: HTTPRequest, _ note: BackgroundTaskNote, _ observer: Observer<TransportEvent, NetworkError>
  ) -> URLSessionTask? {
    if let (head, file) = kept.take(note.key) {
      observer.send(.head(head))
      FileBody(file: file, metrics: Metrics(), observer: observer).deliver()
      return nil
    }
    let earlier = delegate.claim(note.key)
    // The session waits for a network and sends again by itself, also after a timeout; its limit is that of the whole task.
    var patient = request
    patient.idleTimeout = .seconds(KeptResponses.lifetime)
    let task = earlier?.task ?? makeTask(patient)
    if earlier == nil { task.taskDescription = note.text }
    if request.priority != .normal { task.priority = request.priority.ofTask }
    delegate.base.exchanges.add(SessionExchange(observer, task, patient))
    if let body = earlier?.body, let task = task as? URLSessionDataTask {
      delegate.urlSession(session, dataTask: task, didReceive: body)
    }
    task.resume()
    return task
  }

  private func makeTask(_ request: HTTPRequest) -> URLSessionTask {
    guard case .file(let url) = request.body else { return session.downloadTask(with: URLRequest(request)) }
    return session.uploadTask(with: URLRequest(request), fromFile: url.resolvingSymlinksInPath())
  }
}
#endif
