#if canImport(Security)
import Foundation
public import Security

extension TokenStore {
  /// Returns a store in the keychain, one generic password for each entry.
  ///
  /// **Type-checked, but not yet run.** On macOS it uses the data protection keychain, which is available to signed
  /// apps only. Entries outlive the app when it is deleted, and are not synchronized through iCloud. A request sent
  /// while the entry's accessibility forbids reading, such as before the first unlock, fails with
  /// ``NetworkError/Code/invalidCredentials``; its reason contains the `OSStatus` of the Security framework.
  /// - Parameters:
  ///   - service: The service of the passwords, such as the app's bundle identifier; it belongs to this store alone.
  ///   - accessGroup: The keychain access group or app group shared with extensions. Default: `nil`: entries are added to
  ///     the first keychain access group of the app's entitlements, which other apps may share, else to the app's own; and
  ///     read and removed in all of its groups.
  ///   - accessibility: When the entries can be read: a value of `kSecAttrAccessible`. Default: after the first unlock,
  ///     on this device only, so that background transfers can read them and no backup takes them to another device.
  /// - Returns: The store, which has not read or written anything yet.
  public static func keychain(
    service: String, accessGroup: String? = nil,
    accessibility: CFString = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
  ) -> TokenStore {
    let items = TokenKeychain(service: service, accessGroup: accessGroup, accessibility: accessibility as String)
    return TokenStore(read: items.read, write: items.write, removeAll: items.removeAll)
  }
}

/// The passwords of a service in the keychain, one for each entry.
struct TokenKeychain: Sendable {
  let service: String
  let accessGroup: String?
  let accessibility: String

  func read(_ key: String) throws -> Data? {
    var query = query(key)
    query[kSecReturnData as String] = true
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    var item: CFTypeRef?
    switch SecItemCopyMatching(query as CFDictionary, &item) {
    case errSecSuccess:
      guard let data = item as? Data else {
        throw NetworkError(.invalidCredentials, reason: "keychain item without data")
      }
      return data
    case errSecItemNotFound:
      try checkUnlocked()
      return nil
    case let status: throw TokenKeychain.failure(status)
    }
  }

  /// Throws if no item can be added: before the first unlock, the system may report that an existing item is missing.
  private func checkUnlocked() throws {
    let probe = query("probe")
    let contents: [String: Any] = [kSecValueData as String: Data(), kSecAttrAccessible as String: accessibility]
    let status = SecItemAdd(probe.merging(contents) { $1 } as CFDictionary, nil)
    guard status == errSecSuccess || status == errSecDuplicateItem else { throw TokenKeychain.failure(status) }
    try remove(probe)
  }

  func write(_ entry: Data?, _ key: String) throws {
    guard let entry else { return try remove(query(key)) }
    let contents: [String: Any] = [
      kSecValueData as String: entry, kSecAttrAccessible as String: accessibility,
    ]
    // Another process may add or remove the item between the two calls.
    for _ in 0..<2 {
      let status = SecItemUpdate(query(key) as CFDictionary, contents as CFDictionary)
      if status == errSecSuccess { return }
      guard status == errSecItemNotFound else { throw TokenKeychain.failure(status) }
      let item = query(key).merging(contents) { $1 }
      let added = SecItemAdd(item as CFDictionary, nil)
      if added == errSecSuccess { return }
      guard added == errSecDuplicateItem else { throw TokenKeychain.failure(added) }
    }
    throw TokenKeychain.failure(errSecDuplicateItem)
  }

  func removeAll() throws { try remove(query(nil)) }

  private func remove(_ query: [String: Any]) throws {
    let status = SecItemDelete(query as CFDictionary)
    guard status == errSecSuccess || status == errSecItemNotFound else { throw TokenKeychain.failure(status) }
  }

  /// Returns the query for an item, or for all of the service.
  private func query(_ key: String?) -> [String: Any] {
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
      kSecUseDataProtectionKeychain as String: true,
    ]
    query[kSecAttrAccount as String] = key
    query[kSecAttrAccessGroup as String] = accessGroup
    return query
  }

  private static func failure(_ status: OSStatus) -> NetworkError {
    NetworkError(
      .invalidCredentials, reason: "keychain access failed with OSStatus \(status)",
      underlying: NSError(domain: NSOSStatusErrorDomain, code: Int(status)))
  }
}
#endif
