/// The rule by which responses to a request are read from the cache and stored in it.
///
/// ```swift
/// let provinces = Request(.get, "/provinces", cache: .timeToLive(.seconds(30 * 86_400)))
/// let products = Request(.get, "/products", cache: .cacheThenNetwork)
/// let news = Request(.get, "/news", cache: .http)
/// ```
/// | policy | reads | stores | without a network |
/// |---|---|---|---|
/// | ``none`` | no | no | a failure |
/// | ``http`` | while HTTP says that the response is fresh | what HTTP allows | a fresh response |
/// | ``timeToLive(_:version:orStored:)`` | for this time | successful responses | a response within its time, or any |
/// | ``cacheThenNetwork`` | first, at any age | successful responses | the stored response, then the error |
/// | ``networkThenCache`` | after a failure, at any age | successful responses | the stored response |
/// | ``onlyIfCached`` | at any age | no | the stored response |
/// | ``reload`` | no | successful responses | a failure |
///
/// "Successful" means status 2xx, accepted by the validators and the envelope, and decoded. The failure without a
/// network is ``NetworkError/Code/unreachable``, or another one over a ``CurlTransport`` if the status of the network
/// is unknown. Every policy except ``http`` ignores the server's `Cache-Control` and applies to any method; the body is
/// part of the key. ``http`` applies to `GET` and `HEAD` without a body and follows RFC 9111 as a private cache. A
/// request that cannot be cached, such as one with a file as its body, is sent without a cache; under ``onlyIfCached``
/// it fails. The policy of a service or a client applies to safe methods only, and not to requests with a
/// ``RequestOptions/signer`` of their own: these use the cache only if the request itself sets a policy.
public struct CachePolicy: Sendable, Hashable {
  package enum Mode: Sendable, Hashable {
    case inherited, none, http, cacheThenNetwork, networkThenCache, onlyIfCached, reload
    case timeToLive(Duration, orStored: Bool)
    /// The network request of a policy that also reads the cache: it validates the stored response and replaces it.
    case refresh
    /// The rules of HTTP, but with a response from the server: for a retry or a background refresh.
    case revalidate
  }

  package let mode: Mode
  /// The version of stored responses; one stored with another version is not read.
  ///
  /// Default: 0. Increase it when the app expects different content.
  public let version: Int

  package init(_ mode: Mode, version: Int = 0) {
    self.mode = mode
    self.version = version
  }

  /// The policy of the service or, if it sets none, of the client; with ``version(_:)``, in another version.
  public static let `default` = CachePolicy(.inherited)
  /// No caching: responses are neither read nor stored.
  public static let none = CachePolicy(.none)
  /// The rules of HTTP: the server decides how long a response is fresh and when it is validated (RFC 9111, RFC 5861).
  public static let http = CachePolicy(.http)
  /// The stored response, if there is one, and then the response from the network: two values.
  ///
  /// If the second value equals the first, its ``Response/isUnchanged`` is `true`. If the network fails, the error
  /// follows the first value. The async functions of a client return one value and behave like ``networkThenCache``.
  public static let cacheThenNetwork = CachePolicy(.cacheThenNetwork)
  /// The response from the network or, after a failure of the network or the server, the stored one.
  public static let networkThenCache = CachePolicy(.networkThenCache)
  /// The stored response; without one, the request fails with the code ``NetworkError/Code/notCached``.
  public static let onlyIfCached = CachePolicy(.onlyIfCached)
  /// The response from the network, which replaces the stored one.
  public static let reload = CachePolicy(.reload)

  /// Returns a time-to-live policy: up to an age, the stored response is delivered without the network.
  ///
  /// - Parameters:
  ///   - duration: The time to live, counted from the receipt of the response. If the clock has been set back since,
  ///     the stored response is not read.
  ///   - version: The version of the stored response; one with another version is not read. Default: 0.
  ///   - orStored: Whether the stored response is delivered at any age after a failure of the network or the server, as by
  ///     ``networkThenCache``. Default: `false`.
  /// - Returns: The policy.
  public static func timeToLive(_ duration: Duration, version: Int = 0, orStored: Bool = false) -> CachePolicy {
    CachePolicy(.timeToLive(duration, orStored: orStored), version: version)
  }

  /// Returns the policy with another version, such as `.cacheThenNetwork.version(2)`.
  public func version(_ version: Int) -> CachePolicy { CachePolicy(mode, version: version) }

  /// Returns the policy, or another one if it is ``default``, whose version then replaces that of the other one.
  package func or(_ other: CachePolicy) -> CachePolicy {
    if mode != .inherited { return self }
    return version == 0 ? other : other.version(version)
  }

  /// Whether the rules of HTTP decide what is stored.
  package var isHTTP: Bool { mode == .http || mode == .revalidate }

  /// The policy for an attempt after a failed one: the stored response may itself have caused the failure.
  package var afterFailure: CachePolicy { mode == .http ? CachePolicy(.revalidate, version: version) : self }

  /// Whether the cache is read or written.
  package var isActive: Bool { mode != .none && mode != .inherited }
}

extension CachePolicy: CustomStringConvertible {
  /// The policy as text, such as `onlyIfCached`, with the version if it is not 0.
  public var description: String {
    let name =
      switch mode {
      case .inherited: "default"
      case .timeToLive(let duration, let orStored): "timeToLive(\(duration)\(orStored ? ", orStored: true" : ""))"
      default: "\(mode)"
      }
    return version == 0 ? name : "\(name), version \(version)"
  }
}

/// A cache event of a request, reported to monitors.
///
/// New cases may be added, so a `switch` should have a `default`.
public enum CacheEvent: Sendable, Hashable {
  /// The stored response was delivered without confirmation by the server, also after a failure.
  case hit(age: Duration)
  /// There was no usable stored response.
  case miss(CacheMissReason)
  /// The server confirmed the stored response with a 304.
  case revalidated
  /// The response was stored, with this number of bytes.
  case stored(byteCount: Int)
  /// The response was not stored, or not on disk, for a reason in plain English.
  case notStored(String)
}

/// The reason why no stored response was delivered without the network.
///
/// New cases may be added, so a `switch` should have a `default`.
public enum CacheMissReason: Sendable, Hashable {
  /// Nothing was stored for the request.
  case absent
  /// The stored response is too old.
  case expired
  /// The stored response has a different version.
  case version(stored: Int, wanted: Int)
  /// The stored response belongs to another account or environment, or to other credentials.
  case otherAccount
  /// The stored response was removed: usually to make room, otherwise because it could not be read as the requested
  /// type, or because a newer response that must not be stored has replaced it.
  ///
  /// It is also the reason if a client without ``NetworkClient/Configuration/account`` has stored the response and one
  /// with it asks while nobody is signed in, or vice versa.
  case evicted
  /// The stored response was damaged and has been removed.
  case corrupt
  /// The stored response was for other values of header fields that its `Vary` names.
  case otherVariant
  /// The response or the request requires validation before each use.
  case needsValidation
  /// The policy or the request requires the network.
  case requested
}

extension CacheMissReason: CustomStringConvertible {
  /// The reason in plain English.
  public var description: String {
    switch self {
    case .absent: "nothing stored"
    case .expired: "expired"
    case .version(let stored, let wanted): "version \(stored) ≠ \(wanted)"
    case .otherAccount: "other account or environment"
    case .evicted: "evicted"
    case .corrupt: "corrupt"
    case .otherVariant: "other variant"
    case .needsValidation: "needs validation"
    case .requested: "network requested"
    }
  }
}

extension CacheEvent: CustomStringConvertible {
  /// The event in plain English.
  public var description: String {
    switch self {
    case .hit(let age): "cache hit, \(age.components.seconds) s old"
    case .miss(let reason): "cache miss: \(reason)"
    case .revalidated: "cache revalidated"
    case .stored(let byteCount): "cache stored \(byteCount) bytes"
    case .notStored(let reason): "not cached: \(reason)"
    }
  }
}
