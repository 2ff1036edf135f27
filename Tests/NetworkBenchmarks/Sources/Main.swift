import Foundation

/// `drive` measures everything; `measure <variant>` is one process of it; `serve` is the server that never answers.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "serve": await NeverServer.run()
    case "measure": try await measure(arguments.dropFirst())
    case "drive": drive(arguments.dropFirst())
    default: reject()
    }
  }

  private static func reject() -> Never {
    note(Options.usage + "\n")
    exit(2)
  }

  private static func drive(_ arguments: ArraySlice<String>) -> Never {
    guard let options = Options(arguments), let site = Site() else { reject() }
    exit(Driver(site: site, options: options).run())
  }

  private static func measure(_ arguments: ArraySlice<String>) async throws {
    guard let id = arguments.first, let site = Site(),
      let variant = Group.all(site).flatMap(\.variants).first(where: { $0.id == id }),
      case .swift(let work) = variant.work
    else { reject() }
    let sample = try await work(site, Scale(isBrief: arguments.contains("--brief")))
    print(Launch.line(sample))
  }
}
