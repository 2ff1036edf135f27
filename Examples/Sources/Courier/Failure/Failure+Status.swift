import Foundation
import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Failure {
  /// Creates the failure for an error status, with the beginning of the body.
  init(status error: NetworkError) {
    let status = error.code.number
    let phrase = HTTPURLResponse.localizedString(forStatusCode: status).capitalized
    var advice = Failure.advice(for: status)
    if let delay = error.response?.headers["Retry-After"], Int(delay) != nil { advice += ", in \(delay) s" }
    let excerpt = error.response.map { BodyExcerpt($0).text } ?? ""
    self.init(
      .httpStatus, "the server responded with \(status) \(phrase)",
      excerpt.isEmpty ? advice : "\(advice): \"\(excerpt)\"")
  }

  private static func advice(for status: Int) -> String {
    switch status {
    case 401: "sign in with --bearer TOKEN or -H 'Authorization: …'"
    case 403: "you don't have permission"
    case 404, 410: "check the URL"
    case 405, 501: "choose another method with -X"
    case 407: "the proxy requires authentication"
    case 413: "send less at once"
    case 415: "set the type with -H 'Content-Type: …'"
    case 408, 429, 503, 504: "try again later"
    case 500...: "try again later, or contact the server's administrator"
    default: "check the request with -v"
    }
  }
}
