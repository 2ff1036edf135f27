/// A cache event of a request, reported to monitors.
public enum CacheEvent: Sendable, Hashable {
  /// The stored response was delivered without the network.
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
public enum CacheMissReason: Sendable, Hashable {
  /// Nothing was stored for the request.
  case absent
  /// The stored response is too old.
  case expired
  /// The stored response has a different version.
  case version(stored: Int, wanted: Int)
  /// Only another account or environment has a stored response.
  case otherAccount
  /// The stored response was removed to make room.
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
