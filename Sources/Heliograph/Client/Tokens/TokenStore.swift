public import Foundation
import Signals

/// A store for the token of each identity: one entry for each account in each environment.
///
/// ```swift
/// struct Session: Codable, Sendable { let token, refreshToken: String }
/// let tokens = TokenStore<Session>.file(in: folder)
/// configuration.middleware = [.bearer(from: tokens, \.token)]
/// ```
/// A token is read and stored for the identity of a client; inside a ``Recovery``, for that of the waiting requests.
/// Each entry contains its identity, so it is never read for another account. Without accounts and environments there
/// is one entry. Services have no entries of their own: create one store, with its own folder, for each service, and
/// set its middleware on the service.
///
/// The middleware of a store reads each entry once, and then uses the token in memory; after 1,000 identities it reads
/// the entries again. ``token(for:)`` always reads the storage, where another process may have stored a newer token.
/// Copies of a store share its memory, but a second store over the same storage has its own: create one and pass it on.
/// A store may be used on any thread; it blocks the thread until this access and earlier ones have ended: call its
/// methods off the main actor. No description, error or log contains a token.
public struct TokenStore<Token: Codable & Sendable>: Sendable {
  private struct Entry: Codable {
    let identity: String
    let token: Token
  }

  /// A token that could not be stored.
  private struct Unsaved {
    let token: Secret<Token>
    /// The checksum of the entry that it was to replace, `nil` if there was none, or the failure to read it.
    let former: Result<[UInt8]?, any Error>
    /// The instant of the last attempt to store it.
    let triedAt = ContinuousClock.now

    var isDue: Bool { ContinuousClock.now - triedAt >= .seconds(1) }
  }

  /// The tokens that were read or stored, by identity, and the queue of accesses to the storage.
  private final class MemoryCache: Sendable {
    /// The number of tokens after which all are read again, so that a server with many users does not retain them all.
    static var limit: Int { 1_000 }
    let tokens = Guarded<[String: Secret<Token?>]>([:])
    /// The tokens of refreshes that could not be stored; written in the queue only.
    let unsaved = Guarded<[String: Unsaved]>([:])
    /// Makes accesses serial, each on the thread of its caller.
    let queue = DispatchQueue(label: "heliograph.tokens")
  }

  private let read: @Sendable (_ key: String) throws -> Data?
  private let write: @Sendable (_ entry: Data?, _ key: String) throws -> Void
  private let removeEntries: @Sendable () throws -> Void
  private let memory = MemoryCache()

  /// Creates a store over any storage.
  ///
  /// The closures are called serially, must not use the store, as the `Codable` conformance of the token must not, and
  /// must not wait for the main thread or for a task: the first requests of as many tasks as there are cores would then
  /// block every thread of the tasks. A `NetworkError` that the closures throw is thrown unchanged; any other error
  /// becomes the cause of ``NetworkError/Code/invalidCredentials``.
  /// - Parameters:
  ///   - read: Returns the entry for a key of 64 hexadecimal digits; `nil` if there is none.
  ///   - write: Stores an entry, which contains the token in plain text; `nil` removes the entry.
  ///   - removeAll: Removes all entries.
  public init(
    read: @escaping @Sendable (_ key: String) throws -> Data?,
    write: @escaping @Sendable (_ entry: Data?, _ key: String) throws -> Void,
    removeAll: @escaping @Sendable () throws -> Void
  ) {
    self.read = read
    self.write = write
    removeEntries = removeAll
  }

  /// Returns the token of a client's identity, as stored now.
  ///
  /// - Parameter client: The client. The one passed to a ``Recovery`` has the identity of the waiting requests.
  /// - Returns: The token; `nil` if none is stored.
  /// - Throws: ``NetworkError/Code/invalidCredentials`` if the entry cannot be read or is damaged, and
  ///   ``NetworkError/Code/contextChanged`` in a ``Recovery`` whose identity has changed.
  public func token(for client: NetworkClient) throws(NetworkError) -> Token? {
    try load(try client.currentIdentity()?.snapshot.text ?? "")
  }

  /// Stores the token of a client's identity, or removes it.
  ///
  /// - Parameters:
  ///   - token: The token; `nil` removes the stored one.
  ///   - client: The client. In a ``Recovery``, pass the one that its closure receives, so that nothing is stored after
  ///     a change of account.
  /// - Throws: ``NetworkError/Code/contextChanged`` if the identity changes meanwhile, in a ``Recovery`` also if it has
  ///   changed before, otherwise the error of the storage: ``NetworkError/Code/cannotCreateFile``,
  ///   ``NetworkError/Code/cannotWriteFile``, ``NetworkError/Code/invalidCredentials``. The previous token then remains
  ///   stored. In a ``Recovery``, the new one is used from memory all the same, because the server may have replaced
  ///   the previous one, and storing it is tried again by a request, at most once per second, and when the store is
  ///   read.
  public func set(_ token: Token?, for client: NetworkClient) throws(NetworkError) {
    let bound = try client.currentIdentity()
    let identity = bound?.snapshot.text ?? ""
    try access("stored") {
      // Checked again in the queue: a `removeAll()` after a change of account runs after this write, or before this
      // check, so no token of the old account remains.
      if let failure = bound?.staleFailure { throw failure }
      let failure = Result { try store(token, of: identity) }
      if case .failure = failure {
        guard let token, client.scope.isRefreshing else { return try failure.get() }
        let unsaved = Unsaved(token: Secret(token), former: Result { try checksum(of: identity) })
        memory.unsaved.discardWithLock { $0.updateValue(unsaved, forKey: identity) }
      } else {
        memory.unsaved.discardWithLock { $0.removeValue(forKey: identity) }
      }
      remember(token, of: identity)
      try failure.get()
    }
  }

  /// Returns the checksum of the stored entry; `nil` if there is none.
  private func checksum(of identity: String) throws -> [UInt8]? {
    try read(TokenStore.key(identity)).map { SHA256.hash($0) }
  }

  private func store(_ token: Token?, of identity: String) throws {
    let entry = try token.map { try JSONEncoder().encode(Entry(identity: identity, token: $0)) }
    try write(entry, TokenStore.key(identity))
  }

  /// Removes the tokens of all accounts in all environments, at sign-out.
  ///
  /// Change the account first, so that no ``Recovery`` stores a token afterwards.
  /// - Throws: The error of the storage; see ``set(_:for:)``.
  public func removeAll() throws(NetworkError) {
    try access("removed") {
      memory.tokens.set([:])
      memory.unsaved.set([:])
      try removeEntries()
    }
  }

  /// Returns the token of an identity, from memory if it was read or stored before.
  func cachedToken(of identity: String) throws(NetworkError) -> Token? {
    // A request tries again to store a token that could not be stored, at most one per second.
    let isDue = memory.unsaved.withLock { $0[identity]?.isDue == true }
    if !isDue, let token = memory.tokens.withLock({ $0[identity] }) { return token.reveal() }
    return try load(identity, whenDue: true)
  }

  /// Reads the storage, after storing a token that could not be stored, with `whenDue` only if that is due.
  private func load(_ identity: String, whenDue: Bool = false) throws(NetworkError) -> Token? {
    try access("read") {
      if let unsaved = memory.unsaved.withLock({ $0[identity] }) {
        // Another request may have tried it meanwhile.
        if whenDue, !unsaved.isDue {
          remember(unsaved.token.reveal(), of: identity)
          return unsaved.token.reveal()
        }
        // Another process may have stored a newer one.
        let isReplaced =
          switch (unsaved.former, Result { try checksum(of: identity) }) {
          case (.success(let former), .success(let now)): former != now
          default: false
          }
        let token = unsaved.token.reveal()
        let isStored = isReplaced || (try? store(token, of: identity)) != nil
        let next = isStored ? nil : Unsaved(token: unsaved.token, former: unsaved.former)
        memory.unsaved.discardWithLock { unsaved in
          defer { unsaved[identity] = next }
          return unsaved[identity]
        }
        if !isReplaced { return token }
      }
      do {
        let token = try readEntry(of: identity)
        remember(token, of: identity)
        return token
      } catch {
        memory.tokens.discardWithLock { $0.removeValue(forKey: identity) }
        throw error
      }
    }
  }

  private func readEntry(of identity: String) throws -> Token? {
    try read(TokenStore.key(identity)).map { data in
      // Without the decoding error as its cause, which would quote the token.
      guard (try? JSON.checkForTraps(data, allowsJSON5: false)) != nil,
        let entry = try? JSONDecoder().decode(Entry.self, from: data)
      else {
        throw NetworkError(.invalidCredentials, reason: "stored token damaged, or of another type")
      }
      guard entry.identity == identity else {
        throw NetworkError(.invalidCredentials, reason: "stored token of another account")
      }
      return entry.token
    }
  }

  private func remember(_ token: Token?, of identity: String) {
    memory.tokens.discardWithLock { tokens in
      var previous: [String: Secret<Token?>] = [:]
      if tokens.count >= MemoryCache.limit, tokens[identity] == nil { swap(&tokens, &previous) }
      previous[identity] = tokens.updateValue(Secret(token), forKey: identity)
      return previous
    }
  }

  /// Runs an access to the storage, after all previous ones; tokens in memory can be read meanwhile.
  private func access<Value>(_ verb: String, _ body: () throws -> Value) throws(NetworkError) -> Value {
    do {
      return try memory.queue.sync(execute: body)
    } catch let error as NetworkError {
      throw error
    } catch is EncodingError {
      throw NetworkError(.invalidCredentials, reason: "the token cannot be encoded")
    } catch {
      throw NetworkError(.invalidCredentials, reason: "the token cannot be \(verb)", underlying: error)
    }
  }

  private static func key(_ identity: String) -> String { SHA256.hash(Data(identity.utf8)).hexadecimal }
}

extension TokenStore: _Summarized {
  /// The type of the tokens, without their values.
  public var description: String { "TokenStore<\(Token.self)>" }
}

extension NetworkClient {
  /// Returns the identity of the client's requests; `nil` if it has neither accounts nor environments.
  ///
  /// - Throws: ``NetworkError/Code/contextChanged`` if the client belongs to a refresh and its identity has changed.
  fileprivate func currentIdentity() throws(NetworkError) -> BoundIdentity? {
    guard let fence = scope.parts.fence else { return nil }
    let identity = BoundIdentity(scope.identity ?? fence.takeSnapshot(), needsEnvironment: true)
    if let failure = identity.staleFailure { throw failure }
    return identity
  }
}

extension Middleware where Self == HeaderMiddleware {
  /// Returns a middleware that authorizes each request with the stored bearer token of its identity.
  ///
  /// ```swift
  /// configuration.middleware = [.bearer(from: tokens, \.token)]
  /// ```
  /// It applies to requests to the client's own origins, as ``bearer(_:)`` does; as middleware of a request, to the URL
  /// of that request, whatever its origin. An entry that cannot be read fails the request with
  /// ``NetworkError/Code/invalidCredentials``. The first request of an identity reads the storage on its thread, and so
  /// does one per second while a refreshed token could not be stored.
  /// - Parameters:
  ///   - store: The store.
  ///   - token: Returns the bearer token from the stored one; `nil` sets none. Called on any thread, for the first
  ///     attempt usually the subscriber's; it must not block.
  /// - Returns: The middleware.
  public static func bearer<Token>(
    from store: TokenStore<Token>, _ token: @escaping @Sendable (Token) -> String?
  ) -> HeaderMiddleware {
    HeaderMiddleware(authorization: { (request) throws(NetworkError) in
      guard let entry = try store.cachedToken(of: request.identityText ?? ""), let text = token(entry) else {
        return nil
      }
      return try .bearer(token: text)
    })
  }
}
