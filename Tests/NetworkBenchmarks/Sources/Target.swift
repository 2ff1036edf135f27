/// What a figure has to be, alone or as a multiple of another variant's.
struct Target {
  enum Bound {
    case atMost(Double)
    case atLeast(Double)
  }

  let text: String
  let variant: String
  let figure: Figure
  /// The variant that the figure is divided by; `nil` if it counts as it is.
  var reference: String?
  let bound: Bound

  /// The figure or the ratio; `nil` if not all of it was measured.
  func value(_ results: Results) -> Double? {
    guard let value = results[variant]?[figure] else { return nil }
    guard let reference else { return value }
    return results[reference]?[figure].map { value / $0 }
  }

  func isMet(_ value: Double) -> Bool {
    switch bound {
    case .atMost(let limit): value <= limit
    case .atLeast(let limit): value >= limit
    }
  }

  var boundText: String {
    switch bound {
    case .atMost(let limit): "<= \(limit.formatted)"
    case .atLeast(let limit): ">= \(limit.formatted)"
    }
  }
}

extension Double {
  fileprivate var formatted: String { self == rounded() ? "\(Int(self))" : "\(self)" }
}

extension Target {
  static let all = [
    Target(
      text: "client over CurlTransport, 16 in flight: CPU per request, of C's",
      variant: "get-16/curl-transport", figure: .cpuPerRequest, reference: "get-16/c", bound: .atMost(1.5)),
    Target(
      text: "client over CurlTransport, 16 in flight: requests per second, of URLSession's",
      variant: "get-16/curl-transport", figure: .requestsPerSecond, reference: "get-16/urlsession",
      bound: .atLeast(12)),
    Target(
      text: "the same, decoded", variant: "get-16/curl-transport-decoded", figure: .requestsPerSecond,
      reference: "get-16/urlsession-decoded", bound: .atLeast(9)),
    Target(
      text: "client over URLSessionTransport, 16 in flight: CPU per request, of URLSession's",
      variant: "get-16/session-transport", figure: .cpuPerRequest, reference: "get-16/urlsession",
      bound: .atMost(1.05)),
    Target(
      text: "10,000 at once over CurlTransport: milliseconds", variant: "crowd/curl-transport", figure: .duration,
      bound: .atMost(500)),
    Target(
      text: "10,000 at once over CurlTransport: peak MB", variant: "crowd/curl-transport", figure: .peak,
      bound: .atMost(80)),
    Target(
      text: "10,000 at once over CurlTransport: descriptors", variant: "crowd/curl-transport",
      figure: .descriptorCount, bound: .atMost(100)),
    Target(
      text: "1,000 cancelled over CurlTransport: events after disposal", variant: "cancel/curl-transport",
      figure: .lateEventCount, bound: .atMost(0)),
    Target(
      text: "1,000 cancelled over CurlTransport: milliseconds until all sockets are closed",
      variant: "cancel/curl-transport", figure: .closing, bound: .atMost(50)),
    Target(
      text: "1,000 cancelled over CurlTransport: growth over ten rounds, MB", variant: "cancel/curl-transport",
      figure: .roundGrowth, bound: .atMost(1)),
    Target(
      text: "200 MB to a file over CurlTransport: MB/s, of URLSession's", variant: "file/curl-transport",
      figure: .megabytesPerSecond, reference: "file/urlsession", bound: .atLeast(3)),
    Target(
      text: "200 MB to a file over CurlTransport: growth, MB", variant: "file/curl-transport", figure: .growth,
      bound: .atMost(48)),
    Target(
      text: "the same behind observe(on: serial): MB/s, of URLSession's", variant: "file/curl-transport-serial",
      figure: .megabytesPerSecond, reference: "file/urlsession", bound: .atLeast(3)),
    Target(
      text: "the same behind observe(on: serial): growth, MB", variant: "file/curl-transport-serial",
      figure: .growth, bound: .atMost(48)),
    Target(
      text: "1 GB to a file by download(request:to:): MB/s, of the curl program's",
      variant: "gigabyte-down/curl-transport",
      figure: .megabytesPerSecond, reference: "gigabyte-down/curl", bound: .atLeast(0.8)),
    Target(
      text: "1 GB to a file by download(request:to:): growth, MB", variant: "gigabyte-down/curl-transport",
      figure: .growth, bound: .atMost(24)),
    Target(
      text: "1 GB from a file by upload(request:resultType:): MB/s, of the curl program's",
      variant: "gigabyte-up/curl-transport", figure: .megabytesPerSecond, reference: "gigabyte-up/curl",
      bound: .atLeast(0.8)),
    Target(
      text: "1 GB from a file by upload(request:resultType:): growth, MB", variant: "gigabyte-up/curl-transport",
      figure: .growth, bound: .atMost(24)),
    Target(
      text: "slow consumer behind observe(on: serial): growth, MB", variant: "slow/curl-transport-observe",
      figure: .growth, bound: .atMost(16)),
    Target(
      text: "slow consumer of values: growth, MB", variant: "slow/curl-transport-values", figure: .growth,
      bound: .atMost(16)),
  ]
}
