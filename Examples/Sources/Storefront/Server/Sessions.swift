import Foundation
import Synchronization

/// The customers who are signed in, by token, and the renewals of tokens.
final class Sessions: Sendable {
  private struct Books {
    var customers: [String: Profile.ID] = [:]
    var renewals: [String: Profile.ID] = [:]
  }

  private let books = Mutex(Books())

  func begin(for customer: Profile.ID) -> Session {
    let session = Session(token: UUID().uuidString, renewal: UUID().uuidString)
    books.withLock { books in
      books.customers[session.token] = customer
      books.renewals[session.renewal] = customer
    }
    return session
  }

  /// Another session; `nil` if there is nothing to renew, or it has been done before.
  func renew(_ session: Session) -> Session? {
    books.withLock { $0.renewals.removeValue(forKey: session.renewal) }.map { begin(for: $0) }
  }

  func expireTokens() {
    books.withLock { $0.customers = [:] }
  }

  func end() {
    books.withLock { $0 = Books() }
  }

  /// The customer in whose name a request is made, from its `Authorization` field.
  func customer(_ authorization: String?) -> Profile.ID? {
    guard let authorization, authorization.hasPrefix("Bearer ") else { return nil }
    return books.withLock { $0.customers[String(authorization.dropFirst("Bearer ".count))] }
  }
}
