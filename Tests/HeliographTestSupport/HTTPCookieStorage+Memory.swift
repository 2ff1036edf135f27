import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPCookieStorage {
  /// A storage of its own that keeps nothing on disk.
  package static var inMemory: HTTPCookieStorage {
    get throws { try require(URLSessionConfiguration.ephemeral.httpCookieStorage) }
  }
}
