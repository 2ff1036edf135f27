import Foundation
import HeliographInspector
import HeliographTesting

/// The command of this program.
@main
enum Command {
  case tour(baseURL: URL?)
  case inspect
  case serve(port: UInt16)
  case help

  // Async, so that the main actor runs, and with it the view models, while this waits.
  static func main() async {
    do {
      exit(try await parse(CommandLine.arguments.dropFirst()).run())
    } catch {
      FileHandle.standardError.write(Data("storefront: \(error)\n".utf8))
      exit(2)
    }
  }

  /// - Returns: The exit code.
  private func run() async throws -> Int32 {
    switch self {
    case .tour(let baseURL?):
      return await Tour(client: .shop(baseURL: baseURL), shop: nil).run() ? 0 : 1
    case .tour(nil): return try await Command.tour() ? 0 : 1
    case .inspect:
      let (inspector, count) = (try NetworkInspector(), RequestCount())
      // A server stops when it is deallocated.
      defer { withExtendedLifetime(inspector) {} }
      print("The requests of the tour are at \(inspector.url)")
      let isComplete = try await Traffic.$others.withValue([inspector, count]) { try await Command.tour() }
      print("inspected \(count.value) requests\(isComplete ? "" : ", and the tour has failed"). Stop with Ctrl-C.")
      fflush(nil)
      while true { try await Task.sleep(for: .seconds(3600)) }
    case .serve(let port):
      let shop = try ShopServer(port: port)
      // A server stops when it is deallocated.
      defer { withExtendedLifetime(shop) {} }
      print("The shop is open at \(shop.front.baseURL). Stop it with Ctrl-C.")
      fflush(nil)
      while true { try await Task.sleep(for: .seconds(3600)) }
    case .help:
      print(Command.usage)
      return 0
    }
  }
}

extension Command {
  /// Opens a shop and takes a tour through it.
  ///
  /// - Returns: Whether all claims hold.
  private static func tour() async throws -> Bool {
    let shop = try ShopServer()
    let isComplete = await Tour(client: .shop(baseURL: shop.front.baseURL), shop: shop).run()
    if let har = Traffic.har {
      await har.close()
      for server in [shop.front, shop.files] {
        let count = server.log.connections.reduce(0) { $0 + $1.requestCount }
        print("\(server.baseURL) has received \(count) requests")
      }
    }
    return isComplete
  }

  private static let usage = """
    usage: storefront [--base-url URL | --inspect | --serve PORT | --help]

    Without arguments: opens a shop on this machine, takes a tour through it and exits with 1 if any step does not
    show its result. If the variable STOREFRONT_HAR names a file, the traffic is written there.

      --base-url URL  tours the shop at this address; steps that need the log of the server are skipped
      --inspect       shows the requests of the tour in a browser, also after its end
      --serve PORT    opens the shop at http://127.0.0.1:PORT and keeps it open
      --help          prints this text
    """

  private struct UsageError: Error, CustomStringConvertible {
    let problem: String
    var description: String { "\(problem)\n\n\(Command.usage)" }
  }

  private static func parse(_ arguments: ArraySlice<String>) throws -> Command {
    switch (arguments.first, arguments.dropFirst().first, arguments.count) {
    case (nil, _, _): return .tour(baseURL: nil)
    case ("--help", _, 1), ("-h", _, 1): return .help
    case ("--inspect", _, 1): return .inspect
    case ("--base-url", let text?, 2):
      guard let url = URL(string: text), url.host != nil else { throw UsageError(problem: "\(text) is not a URL") }
      return .tour(baseURL: url)
    case ("--serve", let text?, 2):
      guard let port = UInt16(text) else { throw UsageError(problem: "\(text) is not a port") }
      return .serve(port: port)
    default: throw UsageError(problem: "unknown arguments: \(arguments.joined(separator: " "))")
    }
  }
}
