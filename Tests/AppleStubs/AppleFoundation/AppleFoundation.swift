// swift-format-ignore-file: AlwaysUseLowerCamelCase, AllPublicDeclarationsHaveDocumentation

// What `import Foundation` brings on Apple's systems, for `.ci/apple-check`: there is no FoundationNetworking, its types are
// Foundation's. The check turns `import Foundation` into an import of this module. It is never linked into anything.
//
// What only Apple's Foundation declares, and the sources use, stands here.

@_exported public import Darwin
@_exported public import Foundation
@_exported public import FoundationNetworking
public import Security

extension HTTPCookiePropertyKey {
  public static let sameSitePolicy = HTTPCookiePropertyKey(rawValue: "SameSite")
}

// Linux marks these as unavailable.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

// Toll-free bridged, as in CFStream.h.
public typealias CFWriteStream = OutputStream
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ q: DispatchQueue!) {}

extension Stream {
  public class func getBoundStreams(
    withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
    outputStream: UnsafeMutablePointer<OutputStream?>?
  ) {}
}

extension FileManager {
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

extension URLRequest {
  public var allowsExpensiveNetworkAccess: Bool {
    get { true }
    set {}
  }
  public var allowsConstrainedNetworkAccess: Bool {
    get { true }
    set {}
  }
}

extension URLError {
  public enum NetworkUnavailableReason: Int, Sendable {
    case cellular
    case expensive
    case constrained
  }
  public var networkUnavailableReason: NetworkUnavailableReason? { nil }
}

extension URLSessionConfiguration {
  // Linux marks it as unavailable.
  public class func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }
  // Linux can only read it.
  @_disfavoredOverload
  public var waitsForConnectivity: Bool {
    get { false }
    set {}
  }
  public var sharedContainerIdentifier: String? {
    get { nil }
    set {}
  }
  public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
    get { .TLSv12 }
    set {}
  }
}

extension URLProtectionSpace {
  public var serverTrust: SecTrust? { nil }
}

extension URLCredential {
  public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
  public convenience init(
    identity: SecIdentity, certificates certArray: [Any]?, persistence: URLCredential.Persistence
  ) { self.init(user: "", password: "", persistence: persistence) }
}
