import Foundation
import Heliograph

/// The tool without its process: arguments in, text and an exit code out.
enum Courier {
  static let version = "1.0"
  static let commands: [any Command.Type] = [Get.self, Post.self, Upload.self, Events.self, Lines.self]

  /// Runs a command.
  ///
  /// Cancelling the task interrupts the command; a download keeps its part.
  /// - Parameters:
  ///   - words: the arguments without the name of the program.
  ///   - output: the place for results.
  ///   - errors: the place for everything else: progress, notes, errors.
  ///   - input: the source of bodies that are read from standard input. Default: the process's.
  ///   - environment: the environment variables. Default: none.
  /// - Returns: the exit code; see ``ExitCode``.
  static func run(
    _ words: [String], output: any Output, errors: any Output, input: FileHandle = .standardInput,
    environment: [String: String] = [:]
  ) async -> Int32 {
    do throws(Failure) {
      return try await perform(words, output, errors, input, environment).rawValue
    } catch {
      return report(error, to: errors).rawValue
    }
  }

  /// Writes what a failure says to the user, and returns its exit code.
  private static func report(_ failure: Failure, to errors: any Output) -> ExitCode {
    if let text = failure.text { try? errors.write(Data("courier: \(text)\n".utf8)) }
    return failure.code
  }

  private static func perform(
    _ words: [String], _ output: any Output, _ errors: any Output, _ input: FileHandle, _ environment: [String: String]
  ) async throws(Failure) -> ExitCode {
    let manual = Manual(Style(isOn: output.columns != nil && environment["NO_COLOR", default: ""].isEmpty))
    switch words.first {
    case nil: throw .usage("nothing to do", "see 'courier --help'")
    case "--help", "-h": try output.write(line: manual.overview)
    case "help":
      let text = try words.dropFirst().first.map { name throws(Failure) in manual.text(of: try command(name)) }
      try output.write(line: text ?? manual.overview)
    case "--version", "-V": try output.write(line: "courier \(version)")
    case let name?:
      let type = try command(name)
      let arguments = try ArgumentParser(type).parse(words.dropFirst())
      if arguments.has(.help) {
        try output.write(line: manual.text(of: type))
        return .success
      }
      let console = Console(errors, isQuiet: arguments.has(.quiet))
      // Wrong arguments must neither open the inspector nor replace a HAR file.
      let command = try type.init(arguments)
      let context = try Context(arguments, output, console, input, environment)
      var failure: Failure?
      do {
        try await TotalTimeout.limit(context.totalTimeout) { try await command.run(context) }
      } catch {
        failure = Failure(error)
      }
      console.endLiveLine()
      var code = failure.map { report($0, to: errors) } ?? .success
      // Ctrl-C also ends the reader of a pipeline, and the failed output may be noticed first.
      if failure != nil, Task.isCancelled { code = .interrupted }
      await context.endMonitors()
      return code
    }
    return .success
  }

  private static func command(_ name: String) throws(Failure) -> any Command.Type {
    if let command = commands.first(where: { $0.summary.name == name }) { return command }
    if name.hasPrefix("-") {
      throw .usage("\(name) comes before the command", "options follow the command, as in 'courier get URL \(name)'")
    }
    if name.contains("://") || name.contains(".") {
      throw .usage("unknown command \(name)", "to download it, type 'courier get \(name)'")
    }
    let names = commands.map { $0.summary.name }
    let guess = name.closest(among: names).map { "did you mean '\($0)'?" }
    throw .usage("unknown command '\(name)'", guess ?? "the commands are \(names.joined(separator: ", "))")
  }
}
