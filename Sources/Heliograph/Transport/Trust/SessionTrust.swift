#if canImport(Security)
import Foundation
import Security

/// A ``Trust`` applied to a session: evaluates servers and provides the client's certificate.
struct SessionTrust: Sendable {
  enum Decision {
    case system
    case credential(URLCredential)
    /// The server is trusted by the transport's own authorities, but App Transport Security evaluates it, too.
    case trusted(URLCredential)
    /// No credential: the response is delivered as received.
    case response
    case rejection(String)
  }

  private let pins: HostPins
  /// The trusted certificates, in DER.
  private let anchors: [Data]
  private let trustsAnchorsOnly: Bool
  private let identities: HostTable<PKCS12>

  init(_ trust: Trust) throws(NetworkError) {
    pins = try HostPins(trust.pinnedKeys)
    var anchors: [Data] = []
    for file in [trust.authorities].compactMap({ $0 }) + trust.additionalAuthorities {
      try file.checkReadable()
      let certificates = PEM.certificates(in: (try? Data(contentsOf: file)) ?? Data())
      guard !certificates.isEmpty, certificates.allSatisfy({ SecCertificateCreateWithData(nil, $0 as CFData) != nil })
      else { throw NetworkError(.invalidTransport, reason: "no PEM certificate in \(file.path)") }
      anchors += certificates
    }
    self.anchors = anchors
    trustsAnchorsOnly = trust.authorities != nil
    var identities: [String: PKCS12] = [:]
    for (host, identity) in trust.identities { identities[host] = try PKCS12(identity) }
    self.identities = try HostTable(identities, setting: "identities")
  }

  func decision(on challenge: URLAuthenticationChallenge) -> Decision {
    let space = challenge.protectionSpace
    switch space.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust:
      return space.serverTrust.map { evaluate($0, host: space.host) } ?? .system
    case NSURLAuthenticationMethodClientCertificate:
      // A proxy gets none, even if it has the name of such a host. The host may be an address in another form.
      let identity = space.isProxy() ? nil : identities[host: Origin(host: space.host).host]
      return identity?.credential.map { .credential($0) } ?? .system
    default:
      // A 401 is delivered like any other response; proxy authentication is left to the system.
      return space.isProxy() ? .system : .response
    }
  }

  private func evaluate(_ trust: SecTrust, host: String) -> Decision {
    // The host may be an address in another form.
    let pins = pins[host: Origin(host: host).host]
    if pins == nil, anchors.isEmpty { return .system }
    if !anchors.isEmpty {
      let certificates = anchors.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
      guard SecTrustSetAnchorCertificates(trust, certificates as CFArray) == errSecSuccess,
        SecTrustSetAnchorCertificatesOnly(trust, trustsAnchorsOnly) == errSecSuccess
      else { return .rejection("the system rejected the certificate authorities") }
    }
    var error: CFError?
    guard SecTrustEvaluateWithError(trust, &error) else {
      return .rejection("the certificate of \(host) is not trusted (status \(error.map { CFErrorGetCode($0) } ?? 0))")
    }
    if let pins {
      let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
      guard let pin = chain?.first.flatMap(SecCertificateCopyKey)?.pin, pins.contains(pin) else {
        return .rejection("the public key of \(host) matches no pin")
      }
    }
    let credential = URLCredential(trust: trust)
    return anchors.isEmpty ? .credential(credential) : .trusted(credential)
  }
}

extension SecKey {
  /// The SHA-256 hash of the key's SubjectPublicKeyInfo, in base 64; `nil` for a kind of key that TLS does not use.
  fileprivate var pin: String? {
    guard let attributes = SecKeyCopyAttributes(self) as? [String: Any],
      let type = attributes[kSecAttrKeyType as String] as? String,
      let key = SecKeyCopyExternalRepresentation(self, nil) as Data?
    else { return nil }
    if type == kSecAttrKeyTypeRSA as String { return PublicKeyInfo.pin(of: key, .rsa) }
    guard type == kSecAttrKeyTypeECSECPrimeRandom as String else { return nil }
    return PublicKeyInfo.Algorithm(pointOf: key.count).map { PublicKeyInfo.pin(of: key, $0) }
  }
}

/// A client's certificate and key, imported for each handshake: the system's objects are not `Sendable` in every SDK.
private struct PKCS12: Sendable, CustomReflectable {
  /// An empty mirror: a dump of a transport must show neither key nor passphrase.
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
  private let data: Data
  private let passphrase: String

  init(_ identity: Trust.Identity) throws(NetworkError) {
    guard identity.key == nil else {
      throw NetworkError(.invalidTransport, reason: "URLSession accepts a client certificate only as PKCS #12")
    }
    try identity.certificate.checkReadable()
    data = (try? Data(contentsOf: identity.certificate)) ?? Data()
    passphrase = identity.passphrase ?? ""
    guard credential != nil else {
      throw NetworkError(
        .invalidTransport,
        reason: """
          \(identity.certificate.path) is not a PKCS #12 file with this passphrase; the system refuses an empty passphrase, \
          and some of its versions other encryption than RC2 and 3DES
          """)
    }
  }

  /// The credential for a session, held in memory: nothing is added to a keychain.
  var credential: URLCredential? {
    let options: [String: Any] = [
      kSecImportExportPassphrase as String: passphrase, kSecImportToMemoryOnly as String: true,
    ]
    var items: CFArray?
    guard SecPKCS12Import(data as CFData, options as CFDictionary, &items) == errSecSuccess,
      let item = (items as? [[String: Any]])?.first,
      let identity = item[kSecImportItemIdentity as String].map({ $0 as CFTypeRef }),
      CFGetTypeID(identity) == SecIdentityGetTypeID()
    else { return nil }
    // The first certificate of the chain is the client's own.
    let others = (item[kSecImportItemCertChain as String] as? [Any]).map { Array($0.dropFirst()) }
    // Core Foundation types are checked by their type ID, because a Swift cast always succeeds.
    return URLCredential(
      identity: unsafeDowncast(identity, to: SecIdentity.self), certificates: others, persistence: .forSession)
  }
}
#endif
