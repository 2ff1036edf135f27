// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What the samples use of AuthenticationServices, from Apple's documentation
// (https://developer.apple.com/documentation/authenticationservices/webauthenticationsession). The environment value is an
// addition that is there if SwiftUI is imported, too.
public import Foundation
public import SwiftUI

open class ASWebAuthenticationSession {
  public class Callback {
    public class func customScheme(_ customScheme: String) -> Callback { Callback() }
    public class func https(host: String, path: String) -> Callback { Callback() }
  }
}

@MainActor public struct WebAuthenticationSession {
  public struct BrowserSession: Sendable {
    public static let ephemeral = BrowserSession()
  }

  @MainActor public func authenticate(
    using url: URL, callback: ASWebAuthenticationSession.Callback, preferredBrowserSession: BrowserSession? = nil,
    additionalHeaderFields: [String: String]
  ) async throws -> URL { url }
}

extension EnvironmentValues {
  public var webAuthenticationSession: WebAuthenticationSession { fatalError() }
}
