import Foundation

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind of proxy, with the redacted URL of a server; without user and password.
  public var description: String {
    switch self {
    case .environment: "environment"
    case .direct: "direct"
    case .server(let url, _, _, _): "server \(url.redacted)"
    }
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// An empty mirror: a dump shows only ``description``.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension Trust.Identity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The files on one line, without the passphrase.
  public var description: String { [certificate, key].compactMap { $0?.path }.joined(separator: ", ").singleLine }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The files, without the passphrase.
  public var customMirror: Mirror {
    Mirror(self, children: ["certificate": certificate, "key": key as Any], displayStyle: .struct)
  }
}
