import Foundation
import Signals

extension RequestRun: AttemptObserver {
  var recorder: (any AttemptRecorder)? { record }

  var isWatched: Bool { source.traits.watch != nil }

  func receive(_ event: TransportEvent, of request: HTTPRequest) { source.traits.watch?(event, request) }

  func collect(_ response: inout Response<Data>, isLast: Bool, in step: CacheStep) {
    record?.receive(response, isLast: isLast)
    if step.isPreliminary {
      state.withLock { [body = response.value] in $0.storedBody = body }
      response = response.updatingDetails { $0.isPreliminary = true }
    }
    // There may be several responses, such as after a retry.
    guard step.isSecond, let body = state.withLock({ $0.storedBody }), body == response.value else { return }
    response = response.updatingDetails { $0.isUnchanged = true }
  }

  func refreshStored(_ refresh: EndAction) {
    let traits = RequestTraits(adjust: { [policy, adjust = source.traits.adjust] request in
      adjust?(&request)
      request.options.cache = policy.afterFailure
      request.options.presentation = .silent
      request.options.priority = .low
      // A request that the user waits for must not join an exchange of low priority.
      request.options.isCoalesced = false
      // The stored response has been delivered, and the next use of it begins another refresh.
      request.options.waitsForConnectivity = false
    })
    // `map` makes it a stage, which is freed if the source drops its observer; the fence retains the subscriber.
    let read: RequestSource.Read = { [read = source.read] attempt in
      read(attempt).map { response in withExtendedLifetime(refresh) { response } }
    }
    // The request as the caller gave it, because each attempt may need a new token.
    RequestSource(client, source.request, traits, read).signal.subscribe { [weak refresh] event in
      if case .value = event { return }
      refresh?.end()
    }
  }
}

extension ClientScope {
  /// Returns the results with the app's user-facing messages for errors, observed by the monitors and by the closure
  /// for rejected credentials.
  @inline(__always)
  func reported(
    _ results: RequestRun.Results, _ request: Request?, _ service: (any Service)?, _ record: RequestRecord?,
    _ identity: BoundIdentity? = nil
  ) -> RequestRun.Results {
    var results = results
    let presentation = request?.options.presentation
    let messages = messages(for: request, service)
    if presentation != nil || !messages.isEmpty {
      results = results.mapError { error in
        // The error of an attempt has the built-in message, with and without retries.
        record?.endAttempt(.failure(error))
        return messages.applied(to: error, presentation)
      }
    }
    if let record {
      record.describe(request)
      results = results.watched(by: record)
    }
    guard let rejections = parts.rejections, !isRefreshing, request?.options.allowsRecovery != false else {
      return results
    }
    let isOwn = { @Sendable [parts] (error: NetworkError) in
      // The handler would sign out the account that has taken the place of the rejected one.
      if identity?.staleFailure != nil { return false }
      // The server has not seen the credentials, also those of a refresh, or they were refreshed.
      if error.response?.head.hasLostCredentials == true || error.marks.isRepaired { return false }
      // The tokens may come from another origin.
      guard !error.isOfRefresh, parts.configuration.builder.hasOrigins, let url = error.response?.url else {
        return true
      }
      return parts.configuration.builder.owns(url)
    }
    return rejections.watching(results, if: isOwn) { [parts] in
      parts.fence?.hasReplaced(identity?.snapshot) == true
    }
  }
}
