import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport

/// A way to talk to a real server: the product, the protocol and the transport.
struct InteropWay: Sendable, CustomStringConvertible {
  enum Product: String, CaseIterable, Sendable {
    case nginx, apache, haproxy, nghttpd

    var isAvailable: Bool {
      switch self {
      case .nginx: NginxServer.isAvailable
      case .apache: ApacheServer.isAvailable
      case .haproxy: HAProxyServer.isAvailable
      case .nghttpd: NghttpServer.isAvailable
      }
    }
  }

  typealias Version = CurlTLSServerTests.Way

  let product: Product
  let version: Version
  let transport: TransportKind

  init(product: Product, version: Version, transport: TransportKind) {
    self.product = product
    self.version = version
    self.transport = transport
  }

  var description: String { "\(product), \(version), \(transport)" }

  /// All that can be tried here.
  ///
  /// nghttpd speaks HTTP/2 alone, and `URLSession` trusts no authority of ours.
  static let present: [InteropWay] = {
    var ways: [InteropWay] = []
    for product in Product.allCases where product.isAvailable {
      for version in Version.present where version == .http2 || product != .nghttpd {
        ways.append(InteropWay(product: product, version: version, transport: .curl))
      }
      if product != .nghttpd { ways.append(InteropWay(product: product, version: .clear, transport: .urlSession)) }
    }
    return ways
  }()

  /// Those whose server has all the paths of `InteropSite`.
  static let full = present.filter { $0.product != .nghttpd }
}

/// A real server with the same paths, whatever product it is.
///
/// | path | response |
/// |---|---|
/// | `/upstream/echo` | the body of the request; from our own server behind it, but for nghttpd |
/// | `/files/fox`, `/files/large` | 200 kB of text, 5 MB |
/// | `/text/fox` | the text, compressed where that is accepted |
/// | `/denied` | 413 to every body |
/// | `/private` | 401 |
/// | `/moved`, `/kept` | 302 to `/text/fox`, 307 to `/upstream/echo` |
/// | `/nothing` | 204 |
struct InteropSite {
  static let text = Data(String(repeating: "the quick brown fox ", count: 10_000).utf8)

  let upstream: LoopbackServer
  let client: NetworkClient
  /// A client of a port where the server closes each connection after three responses, HAProxy after each.
  let briefClient: NetworkClient

  init(_ way: InteropWay) async throws {
    let upstream = try LoopbackServer()
    upstream.route("*", "/echo") { .data($0.body) }
    upstream.route("GET", "/never") { _ in .never }
    self.upstream = upstream
    let isSecure = way.version != .clear
    switch way.product {
    case .nginx:
      let nginx = try await NginxServer(upstream: upstream)
      try nginx.serve("fox", Self.text)
      try nginx.serve("large", CurlTLSStreamsTests.large)
      client = try Self.client(way, nginx.address(isSecure ? \.secure : \.open, ""), nginx)
      briefClient = try Self.client(way, nginx.address(isSecure ? \.brief : \.plain, ""), nginx)
    case .apache:
      let apache = try await ApacheServer(upstream: upstream)
      try apache.serve("fox", Self.text)
      try apache.serve("large", CurlTLSStreamsTests.large)
      client = try Self.client(way, apache.origin(isSecure: isSecure), apache)
      briefClient = try Self.client(way, apache.origin(isSecure: isSecure, isBrief: true), apache)
    case .haproxy:
      // It has no files of its own.
      for path in ["/files/fox", "/text/fox"] {
        upstream.route("*", path) { _ in .text(String(decoding: Self.text, as: UTF8.self)).header("ETag", "\"fox\"") }
      }
      upstream.route("GET", "/files/large") { _ in .data(CurlTLSStreamsTests.large) }
      let proxy = try await HAProxyServer(upstream: upstream)
      client = try Self.client(way, try proxy.url("", isSecure: isSecure).absoluteString, proxy)
      briefClient = try Self.client(way, try proxy.url("", isSecure: isSecure, isBrief: true).absoluteString, proxy)
    case .nghttpd:
      let nghttpd = try await NghttpServer()
      try nghttpd.serve("fox", Self.text)
      try nghttpd.serve("large", CurlTLSStreamsTests.large)
      client = try Self.client(way, nghttpd.origin, nghttpd)
      briefClient = client
    }
  }

  private static func client(
    _ way: InteropWay, _ origin: String, _ server: some AnyObject & Sendable
  ) throws -> NetworkClient {
    guard let url = URL(string: origin) else { throw URLError(.badURL) }
    let transport: any Transport =
      way.transport == .curl
      ? try CurlTransport(try secureSettings { $0.allowsHTTP2 = way.version == .http2 }) : URLSessionTransport()
    return NetworkClient(.init(baseURL: url, transport: Held(transport: transport, server: server)))
  }

  /// A transport that keeps its server running.
  private struct Held: Transport {
    let transport: any Transport
    let server: any AnyObject & Sendable

    func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> { transport.send(request) }
  }

  /// Sends requests, at most a number of them at once, and returns the responses in the order of their ends.
  func responses(
    _ requests: [Request], atOnce limit: Int = 1, over client: NetworkClient? = nil
  ) async -> SignalRecorder<Response<Data>, NetworkError> {
    let client = client ?? self.client
    let recorder = SignalRecorder(
      Signal.from(requests.map { client.exchange(request: $0) }).flatMap(.merge(maxConcurrent: limit)) { $0 })
    await recorder.waitForEnd()
    return recorder
  }
}
