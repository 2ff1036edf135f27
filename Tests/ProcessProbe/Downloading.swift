import Foundation
import Heliograph
import Signals

/// Downloads a file, prints its progress line by line, and then its outcome: "ok", or domain and code.
///
/// Arguments: address, file; then "limit <bytes>" for the size of files, "as-nobody" for a user without rights, or "slow".
struct Downloading {
  private let url: URL
  private let file: URL
  private let conditions: [String]

  init(_ arguments: [String]) throws {
    url = try arguments.url(0)
    file = URL(fileURLWithPath: try arguments.text(1))
    conditions = Array(arguments.dropFirst(2))
  }

  func run() async throws {
    try apply()
    var settings = TransportSettings()
    settings.proxy = .direct
    let client = NetworkClient(.init(transport: try CurlTransport(settings)))
    var request = Request(.get, RequestPath(url.absoluteString))
    request.options.progressInterval = .zero
    let isSlow = conditions.first == "slow"
    // On the transport's thread, which waits for it: the download is as slow as its observer.
    let steps = client.download(request: request, to: file).on(value: { step in
      if let progress = step.progress { say("\(progress.byteCount)") }
      // sleeps: a slow disk or network.
      if isSlow { Thread.sleep(forTimeInterval: 0.000_5) }
    })
    do {
      for try await _ in steps.values {}
      say("ok")
    } catch {
      say("\(error.domain) \(error.code)")
    }
  }

  private func apply() throws {
    if conditions.first == "limit" {
      var limits = rlimit()
      limits.rlim_cur = rlim_t(try conditions.number(1))
      limits.rlim_max = limits.rlim_cur
      signal(SIGXFSZ, SIG_IGN)
      #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
      #else
      setrlimit(RLIMIT_FSIZE, &limits)
      #endif
    }
    if conditions.first == "as-nobody", geteuid() == 0, setuid(65_534) != 0 { throw Failure("still the superuser") }
  }

  private func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8)) }
}
