import Foundation
import Synchronization

/// Who has signed in, by token.
final class Sessions: Sendable {
  private let customers = Mutex<[String: Profile.ID]>([:])

  func begin(for customer: Profile.ID) -> Session {
    let token = UUID().uuidString
    customers.withLock { $0[token] = customer }
    return Session(token: token)
  }

  /// The customer in whose name a request is made, from its `Authorization` field.
  func customer(_ authorization: String?) -> Profile.ID? {
    guard let authorization, authorization.hasPrefix("Bearer ") else { return nil }
    return customers.withLock { $0[String(authorization.dropFirst("Bearer ".count))] }
  }
}
