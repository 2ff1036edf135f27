#if os(Linux)
import Foundation
import Heliograph

/// Creates a transport while the process has no free descriptor, and prints the code and the reason of its failure.
struct Starving {
  func run() throws {
    // Whatever is loaded once is loaded now.
    _ = try CurlTransport()
    let lowest = dup(STDIN_FILENO)
    close(lowest)
    var limits = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    limits.rlim_cur = rlim_t(lowest)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    do throws(NetworkError) {
      _ = try CurlTransport()
      print("created")
    } catch {
      print(error.code, error.reason)
    }
  }
}
#endif
