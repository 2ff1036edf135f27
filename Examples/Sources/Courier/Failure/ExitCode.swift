/// The exit codes, which are those of curl where it has one.
enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case failure = 1
  case usage = 2
  case invalidURL = 3
  case hostNotFound = 6
  case cannotConnect = 7
  case partial = 18
  case httpStatus = 22
  case cannotWrite = 23
  case cannotRead = 26
  case timeout = 28
  case tls = 35
  case redirects = 47
  case connectionLost = 56
  case certificate = 60
  case tooLarge = 63
  case wrongDigest = 65
  case interrupted = 130

  var meaning: String {
    switch self {
    case .success: "done"
    case .failure: "another error"
    case .usage: "wrong arguments"
    case .invalidURL: "invalid URL"
    case .hostNotFound: "host not found"
    case .cannotConnect: "cannot connect"
    case .partial: "incomplete response; 'get' to a file resumes it"
    case .httpStatus: "the server responded with an error, such as 404"
    case .cannotWrite: "cannot write the file, or to standard output"
    case .cannotRead: "cannot read a file to send"
    case .timeout: "timeout"
    case .tls: "no secure connection"
    case .redirects: "too many redirects, or one that is not safe"
    case .connectionLost: "connection lost before a response"
    case .certificate: "the certificate of the server is not trusted"
    case .tooLarge: "larger than --limit-size"
    case .wrongDigest: "the content does not have the digest of --sha256"
    case .interrupted: "interrupted by Ctrl-C; 'get' to a file resumes it"
    }
  }
}
