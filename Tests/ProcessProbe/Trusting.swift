import Foundation
import Heliograph

/// Sends requests over connections of their own, and prints after each how often the system's authorities were read.
///
/// A library that was loaded before counts that and advances the clock. Arguments: address, and the seconds before
/// each further request.
struct Trusting {
  private let url: URL
  private let pauses: [Int]

  init(_ arguments: [String]) throws {
    url = try arguments.url(0)
    pauses = try arguments.indices.dropFirst().map { try arguments.number($0) }
  }

  func run() async throws {
    var settings = TransportSettings()
    settings.proxy = .direct
    settings.maximumConnectionIdleTime = .zero
    let client = NetworkClient(.init(transport: try CurlTransport(settings)))
    for pause in [0] + pauses {
      _ = try symbol("advance_clock", as: (@convention(c) (Int32) -> Int32).self)(Int32(pause))
      _ = try await client.exchange(request: url).first()
      print(try symbol("authorities_read_count", as: (@convention(c) () -> Int32).self)())
    }
  }

  private func symbol<Function>(_ name: String, as type: Function.Type) throws -> Function {
    guard let symbol = dlsym(nil, name) else { throw Failure("the library is not loaded") }
    return unsafeBitCast(symbol, to: type)
  }
}
