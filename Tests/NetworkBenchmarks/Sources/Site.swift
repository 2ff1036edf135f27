import Foundation

/// The servers and files that `.ci/bench-network` has set up, as it tells in the environment.
struct Site {
  /// The plain server's address, without a slash at the end.
  let plain: String
  /// The server with TLS and HTTP/1.1, if there is one.
  let tls: String?
  /// The server with TLS and HTTP/2, if there is one.
  let http2: String?
  /// Where the files are, and where new ones may be written.
  let folder: URL
  /// The program in C, if it could be compiled.
  let baseline: String?
  /// The `curl` program, if there is one.
  let curl: String?
  /// A program that runs another one, for which the system trusts our authority and no other; if that can be done.
  let trusting: String?

  /// Nothing but what the environment says.
  ///
  /// - Returns: `nil` if it says nothing.
  init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let plain = environment["BENCHMARK_SITE"], let folder = environment["BENCHMARK_FOLDER"] else { return nil }
    self.plain = plain
    self.folder = URL(fileURLWithPath: folder, isDirectory: true)
    tls = environment["BENCHMARK_TLS"]
    http2 = environment["BENCHMARK_HTTP2"]
    baseline = environment["BENCHMARK_BASELINE"]
    curl = environment["BENCHMARK_CURL"]
    trusting = environment["BENCHMARK_TRUSTING"]
  }

  /// The authority that has signed the servers' certificate.
  var authorities: URL { folder.appendingPathComponent("ca.pem") }

  var small: String { plain + "/small" }
  var large: String { plain + "/large" }
  var huge: String { plain + "/huge" }
  var upload: String { plain + "/upload" }

  static let envelopeByteCount = 78
  static let largeByteCount = 200_000_000
  static let uploadByteCount = 100_000_000
  static let hugeByteCount = 1_000_000_000

  /// The file to upload.
  var uploaded: URL { folder.appendingPathComponent("upload") }

  /// The file of a gigabyte, which is also served.
  var hugeFile: URL { folder.appendingPathComponent("files/huge") }

  /// A path where no file is yet.
  func freshFile() -> URL { folder.appendingPathComponent("fresh-\(UUID().uuidString)") }
}

/// The body of the small answers.
struct Envelope: Decodable, Sendable {
  struct Person: Decodable, Sendable {
    let id: Int
    let name: String
    let age: Int
    let mail: String
  }

  let code: Int
  let msg: String
  let data: Person

  var isRight: Bool { code == 0 && data.id == 1 && data.name == "Ann" }
}

/// Ends the process: what does not work must not count as fast.
func fail(_ reason: String) -> Never {
  note(" failed: \(reason)\n")
  // Not `exit`: what that tears down is still in use on other threads.
  _exit(1)
}

/// Writes to standard error.
func note(_ text: String) {
  FileHandle.standardError.write(Data(text.utf8))
}

extension URL {
  /// An address that the benchmark itself has put together.
  init(address: String) {
    guard let url = URL(string: address) else { fail("\(address) is no address") }
    self = url
  }
}
