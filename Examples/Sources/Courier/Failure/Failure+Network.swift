import Foundation
import Heliograph

extension Failure {
  /// Creates the failure for an error of a request.
  init(_ error: NetworkError) {
    // A failure of our own that went through the client, such as that of a body.
    if let failure = error.underlying as? Failure {
      self = failure
      return
    }
    switch error.domain {
    case .server: self.init(status: error)
    case .network: self = Failure.network(error)
    case .client: self = Failure.client(error)
    case .api: self.init(.failure, error.message)
    case .processing:
      self =
        error.code == .digestMismatch
        ? Failure(.wrongDigest, error.reason, "check the digest; the content may have changed")
        : Failure(.failure, error.reason.isEmpty ? error.message : error.reason, "try again with -v")
    }
  }

  /// Creates the failure of a download, which may be continued.
  init(_ error: NetworkError, to file: DestinationFile) {
    let failure = Failure(error)
    let mayPass: [ExitCode] = [.interrupted, .partial, .connectionLost, .timeout, .cannotConnect, .hostNotFound, .tls]
    guard mayPass.contains(failure.code), let byteCount = file.partByteCount else {
      self = failure
      return
    }
    let code = failure.code == .connectionLost ? .partial : failure.code
    self.init(code, failure.summary, "the same command continues at \(TransferText.bytes(byteCount))")
  }

  private static func network(_ error: NetworkError) -> Failure {
    let host = error.request?.url.hostAndPort ?? "the host"
    let reason = error.reason
    return switch error.code {
    case .cannotFindHost: Failure(.hostNotFound, "cannot find the host \(host)", "check its name and the network")
    case .cannotConnect: Failure(.cannotConnect, "cannot connect to \(host)", "check that the server runs there")
    case .timedOut where error.attribution.evidence?.phase.map({ $0 < .sending }) ?? false:
      Failure(.timeout, "no connection to \(host) in time: \(reason)", "check the host and the network")
    case .timedOut:
      Failure(.timeout, "\(host) sent nothing before the idle timeout", "try again, or wait longer with --timeout")
    case .connectionLost where error.response != nil || (error.metrics?.receivedByteCount ?? 0) > 0:
      Failure(.partial, "the connection to \(host) was lost in the middle of the response", "try again")
    case .connectionLost: Failure(.connectionLost, "the connection to \(host) was lost", "try again")
    case .secureConnectionFailed:
      Failure(.tls, "no secure connection to \(host): \(reason)", "check the port and the scheme")
    case .untrustedCertificate:
      Failure(
        .certificate, "the certificate of \(host) is not trusted", "check the host's name and this machine's clock")
    case .responseTooLarge: Failure(.tooLarge, reason, "raise --limit-size, if the command has it")
    case .invalidResponse where error.response != nil:
      Failure(.failure, "the response of \(host) is not valid: \(reason)", "try again with -v")
    case .invalidResponse:
      Failure(.failure, "the response of \(host) is not HTTP: \(reason)", "check the port and the scheme")
    default: Failure(.failure, reason.isEmpty ? error.message : "\(host): \(reason)", "try again with -v")
    }
  }

  private static func client(_ error: NetworkError) -> Failure {
    let reason = error.reason.isEmpty ? error.message : error.reason
    return switch error.code {
    case .cancelled: Failure(.interrupted, "interrupted")
    case .invalidURL: Failure(.invalidURL, reason, "check the URL, and quote it in the shell")
    case .invalidMethod, .invalidHeader, .requestTooLarge, .invalidParameters:
      Failure(.usage, reason, "check the options")
    case .invalidCredentials: Failure(.usage, reason, "check --bearer and COURIER_TOKEN")
    case .invalidBody: Failure(.cannotRead, reason, "check the file to send")
    case .tooManyRedirects, .insecureRedirect, .invalidRedirect, .redirectRefused:
      Failure(.redirects, reason, "see the redirects with -v")
    case .diskFull: Failure(.cannotWrite, reason, "free some space; the same command continues")
    case .cannotCreateFile, .cannotWriteFile: Failure(.cannotWrite, reason, "choose another file with -o")
    case .fileInUse: Failure(.cannotWrite, reason, "wait for it, or choose another file with -o")
    case .unreachable: Failure(.cannotConnect, "there is no network", "check the network")
    default: Failure(.failure, reason, "try again with -v")
    }
  }
}

extension URL {
  /// The host, and the port if the URL names one.
  fileprivate var hostAndPort: String? {
    host.map { host in port.map { "\(host) port \($0)" } ?? host }
  }
}
