import Foundation
import Heliograph

/// The description of a task in a background session, used by later processes to identify its request.
struct BackgroundTaskDescription: Sendable, Hashable {
  /// The key of the request: see `HTTPRequest.backgroundKey()`.
  let key: String
  /// The name of the file with the body, if the transport has written it.
  let fileName: String?

  init(key: String, fileName: String? = nil) {
    self.key = key
    self.fileName = fileName
  }

  /// Parses the description of a task; `nil` if it has another format.
  init?(_ text: String?) {
    let components = (text ?? "").split(separator: " ", omittingEmptySubsequences: false)
    guard components.count == 3, components[0] == "heliograph", !components[1].isEmpty, !components[2].contains("/")
    else { return nil }
    self.init(key: String(components[1]), fileName: components[2].isEmpty ? nil : String(components[2]))
  }

  /// Returns the name of the resume data of a download; it repeats the former request, so it serves only a request with
  /// the same URL: another signature has another nonce.
  func resumeKey(for url: URL?) -> String {
    SHA256.hash(Data("\(key) \(url?.absoluteString ?? "")".utf8)).hexadecimal
  }

  var text: String { "heliograph \(key) \(fileName ?? "")" }
}

extension HTTPRequest {
  /// Returns a hash of the method, the URL, the range, the identity and the body, equal in every process.
  ///
  /// A file is read to its end. Header fields other than `Range` are ignored, because a token may have been refreshed;
  /// but without accounts the credentials are part of the key, because nothing else distinguishes users. Also ignored
  /// are the parameters of the URL that a cache key ignores, because they differ in each request, as those of a
  /// signature.
  /// - Throws: A `client` error if the file cannot be read, or if the body is a stream.
  func backgroundKey() throws(NetworkError) -> String {
    var text = ""
    let address = url.cacheAddress(ignoring: context.cache?.ignoredParameters ?? [])
    for component in [method.rawValue, address, headers["Range"], identityText] {
      text.appendComponent(component ?? "")
    }
    if !hasAccounts {
      let signature = context.signatureFields.map { $0.lowercased() }
      for field in headers.credentials where !signature.contains(field[0]) {
        for component in field { text.appendComponent(component) }
      }
    }
    var hash = SHA256()
    hash.update(Data(text.utf8))
    do {
      switch body {
      case .empty: break
      case .data(let data): hash.update(data)
      case .file(let url):
        let file = try FileHandle(forReadingFrom: url)
        while let piece = try FileBody.nextPiece(of: file) { hash.update(piece) }
      case .stream: throw POSIXError(.EINVAL)
      }
    } catch {
      throw NetworkError(
        .invalidBody, reason: "cannot read the \(body)", request: self, underlying: error)
    }
    return hash.finalize().hexadecimal
  }
}
