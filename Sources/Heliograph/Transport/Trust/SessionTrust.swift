#if canImport(Security)
import Foundation
import Security

/// How a session judges servers and shows who it is: what a ``Trust`` says, in the system's terms.
struct SessionTrust: Sendable {
  /// What to do about a challenge.
  enum Answer {
    /// What the system does by itself.
    case system
    case credential(URLCredential)
    /// Nothing: the response is delivered as it is.
    case response
    /// End the request, with this reason.
    case refusal(String)
  }

  private let pins: HostPins
  /// Certificates in DER.
  private let anchors: [Data]
  private let trustsAnchorsOnly: Bool
  private let identity: PKCS12?

  /// - Throws: a `client` error if a file cannot be read, or does not hold what it should.
  init(_ trust: Trust) throws(NetworkError) {
    pins = try HostPins(trust.pinnedKeys)
    var anchors: [Data] = []
    for file in [trust.authorities].compactMap({ $0 }) + trust.additionalAuthorities {
      try file.checkReadable()
      let certificates = PEM.certificates(in: (try? Data(contentsOf: file)) ?? Data())
      guard !certificates.isEmpty, certificates.allSatisfy({ SecCertificateCreateWithData(nil, $0 as CFData) != nil })
      else { throw NetworkError(.client, .invalidTransport, reason: "\(file.path) holds no certificate in PEM form") }
      anchors += certificates
    }
    self.anchors = anchors
    trustsAnchorsOnly = trust.authorities != nil
    identity = try trust.identity.map { identity throws(NetworkError) in try PKCS12(identity) }
  }

  func answer(to challenge: URLAuthenticationChallenge) -> Answer {
    let space = challenge.protectionSpace
    switch space.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust:
      return space.serverTrust.map { judge($0, host: space.host) } ?? .system
    case NSURLAuthenticationMethodClientCertificate:
      return identity?.credential.map { .credential($0) } ?? .system
    default:
      // A 401 is a response like any other; how a proxy is signed in to is the system's to say.
      return space.isProxy() ? .system : .response
    }
  }

  private func judge(_ trust: SecTrust, host: String) -> Answer {
    let pins = pins[host: host.lowercased()]
    if pins == nil, anchors.isEmpty { return .system }
    if !anchors.isEmpty {
      let certificates = anchors.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
      guard SecTrustSetAnchorCertificates(trust, certificates as CFArray) == errSecSuccess,
        SecTrustSetAnchorCertificatesOnly(trust, trustsAnchorsOnly) == errSecSuccess
      else { return .refusal("the authorities were not accepted by the system") }
    }
    var error: CFError?
    guard SecTrustEvaluateWithError(trust, &error) else {
      return .refusal("the certificate of \(host) is not trusted (status \(error.map { CFErrorGetCode($0) } ?? 0))")
    }
    if let pins {
      let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
      guard let pin = chain?.first.flatMap(SecCertificateCopyKey)?.pin, pins.contains(pin) else {
        return .refusal("the key of \(host) is none of the pinned ones")
      }
    }
    return .credential(URLCredential(trust: trust))
  }
}

extension SecKey {
  /// The SHA-256 hash of its SubjectPublicKeyInfo, in base 64; `nil` for a kind of key that certificates for TLS do not have.
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

/// A client's certificate and key, imported for each handshake: what the system makes of them is not `Sendable` in every SDK.
private struct PKCS12: Sendable, CustomReflectable {
  /// Nothing: a dump of a transport must show neither key nor passphrase.
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
  private let data: Data
  private let passphrase: String

  /// - Throws: a `client` error if the file is in another form, cannot be read, or has another passphrase.
  init(_ identity: Trust.Identity) throws(NetworkError) {
    guard identity.key == nil else {
      throw NetworkError(.client, .invalidTransport, reason: "URLSession takes a client's certificate as PKCS #12 only")
    }
    try identity.certificate.checkReadable()
    data = (try? Data(contentsOf: identity.certificate)) ?? Data()
    passphrase = identity.passphrase ?? ""
    guard credential != nil else {
      throw NetworkError(
        .client, .invalidTransport, reason: "\(identity.certificate.path) is no PKCS #12 with this passphrase")
    }
  }

  /// For a session, and held in memory: nothing is put into a keychain.
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
    // The first of the chain is the certificate itself.
    let others = (item[kSecImportItemCertChain as String] as? [Any]).map { Array($0.dropFirst()) }
    // A type of Core Foundation's is told by its number; a cast of Swift's would not look.
    return URLCredential(
      identity: unsafeDowncast(identity, to: SecIdentity.self), certificates: others, persistence: .forSession)
  }
}
#endif
