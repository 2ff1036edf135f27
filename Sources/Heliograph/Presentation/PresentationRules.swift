import Foundation

/// Which errors a person sees, and how.
struct PresentationRules: Sendable {
  let silentPaths: Set<String>
  let style: @Sendable (NetworkError) -> PresentationStyle

  /// How to show an error.
  ///
  /// A cancellation never; else as it is wished for with the error, else not at all if its address is a silent one, else as
  /// the rule says.
  func style(of error: NetworkError, wished: PresentationStyle?) -> PresentationStyle {
    if error.isCancellation { return .silent }
    if let wished { return wished }
    if let path = error.request?.url.path, isSilent(path) { return .silent }
    return style(error)
  }

  private func isSilent(_ path: String) -> Bool {
    if silentPaths.isEmpty { return false }
    // All that `/a/b` may be listed as: itself, and each folder above it.
    if silentPaths.contains(path) { return true }
    return path.indices.contains { path[$0] == "/" && silentPaths.contains(String(path[...$0])) }
  }
}

extension NetworkError {
  /// Whether it says no more than that somebody has cancelled, itself or through an error below it.
  var isCancellation: Bool {
    var problem: any Error = self
    // Errors below errors, as deep as anybody nests them: an `NSError` of somebody else's may name itself.
    for _ in 0..<16 {
      if problem is CancellationError { return true }
      if let error = problem as? NetworkError {
        if error.domain == .network, error.code.rawValue == NSURLErrorCancelled { return true }
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
