/// A command of the tool, such as `get`.
protocol Command: Sendable {
  /// The text of the manual and the options.
  static var summary: CommandSummary { get }

  /// Reads the arguments.
  init(_ arguments: Arguments) throws(Failure)

  /// Does the work.
  ///
  /// - Throws: a `Failure` or a `NetworkError`; the latter also for a cancelled task.
  func run(_ context: Context) async throws
}

/// The manual of a command.
struct CommandSummary: Sendable {
  let name: String
  /// The arguments that are not options, all of them required.
  let operands: [String]
  /// One line for the list of commands.
  let purpose: String
  /// Paragraphs, each of lines that fit into 80 columns.
  let details: String
  let options: [Option]
  let examples: [String]

  /// The form of the command line.
  var synopsis: String { (["courier", name] + operands).joined(separator: " ") + " [options]" }
}
