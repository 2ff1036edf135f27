import Foundation

/// The rules for whether and in which style errors are shown.
struct PresentationRules: Sendable {
  let silentPaths: Set<String>
  let style: @Sendable (NetworkError) -> PresentationStyle

  /// Returns the style of an error.
  ///
  /// A cancellation is silent, and so is a change of the account or environment, after which the app loads again.
  /// Otherwise the requested style applies. Without one, an error of a silent path is silent,
  /// and the rule decides on all others.
  func style(of error: NetworkError, preferred: PresentationStyle?) -> PresentationStyle {
    if error.isCancellation || error.isContextChange { return .silent }
    if let preferred { return preferred }
    if let path = error.request?.url.path, isSilent(path) { return .silent }
    return style(error)
  }

  private func isSilent(_ path: String) -> Bool {
    if silentPaths.isEmpty { return false }
    // All forms that match `/a/b`: itself, and each folder above it.
    if silentPaths.contains(path) { return true }
    return path.indices.contains { path[$0] == "/" && silentPaths.contains(String(path[...$0])) }
  }
}

extension NetworkError {
  /// Whether the error only reports a cancellation, itself or through an underlying error.
  var isCancellation: Bool {
    var problem: any Error = self
    // The depth is limited, because an `NSError` may contain itself.
    for _ in 0..<16 {
      if problem is CancellationError { return true }
      if let error = problem as? NetworkError {
        if error.code == .cancelled || error.code == .network(NSURLErrorCancelled) { return true }
        guard let next = error.underlying else { return false }
        problem = next
        continue
      }
      let bridged = problem as NSError
      switch (bridged.domain, bridged.code) {
      case (NSURLErrorDomain, NSURLErrorCancelled), (NSCocoaErrorDomain, CocoaError.userCancelled.rawValue): return true
      default: break
      }
      guard let next = bridged.userInfo[NSUnderlyingErrorKey] as? any Error else { return false }
      problem = next
    }
    return false
  }
}
