/// The parser of a command's arguments: GNU style, with options and operands in any order.
///
/// `-o FILE`, `-oFILE`, `-vq`, `--output FILE` and `--output=FILE` are options, `--` ends them, and `-` alone is an operand.
struct ArgumentParser {
  private let command: CommandSummary
  private let options: [Option]

  init(_ command: any Command.Type) {
    self.command = command.summary
    options = command.summary.options + Option.common
  }

  /// Parses words; `--help` needs no operands.
  func parse(_ words: ArraySlice<String>) throws(Failure) -> Arguments {
    var arguments = Arguments()
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        arguments.operands += rest
        break
      } else if word.hasPrefix("--") {
        try parseLong(word, &rest, &arguments)
      } else if word.hasPrefix("-"), word.count > 1 {
        try parseShort(word, &rest, &arguments)
      } else {
        arguments.operands.append(word)
      }
    }
    if !arguments.has(.help) { try check(arguments.operands) }
    return arguments
  }

  private func parseLong(
    _ word: String, _ rest: inout ArraySlice<String>, _ arguments: inout Arguments
  ) throws(Failure) {
    let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    guard let option = options.first(where: { $0.name == name }) else {
      let guess = name.closest(among: options.map(\.name)).map { "did you mean --\($0)?" }
      throw .usage("\(command.name) has no option --\(name)", guess ?? "see 'courier \(command.name) --help'")
    }
    switch (option.placeholder, parts.count) {
    case (nil, 1): arguments.add("", for: option)
    case (nil, _): throw .usage("--\(name) takes no value", "remove the = and what follows")
    case (_, 1): arguments.add(try next(&rest, for: "--\(name)", option), for: option)
    default: arguments.add(String(parts[1]), for: option)
    }
  }

  private func parseShort(
    _ word: String, _ rest: inout ArraySlice<String>, _ arguments: inout Arguments
  ) throws(Failure) {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.letter == letter }) else {
        throw .usage("\(command.name) has no option -\(letter)", "see 'courier \(command.name) --help'")
      }
      if option.placeholder == nil {
        arguments.add("", for: option)
      } else if letters.isEmpty {
        arguments.add(try next(&rest, for: "-\(letter)", option), for: option)
      } else {
        arguments.add(String(letters), for: option)
        return
      }
    }
  }

  private func next(_ rest: inout ArraySlice<String>, for name: String, _ option: Option) throws(Failure) -> String {
    if let value = rest.popFirst() { return value }
    throw .usage("\(name) needs a value", "write \(name) \(option.placeholder ?? "")")
  }

  private func check(_ operands: [String]) throws(Failure) {
    if operands.count < command.operands.count {
      throw .usage("\(command.name) needs \(command.operands[operands.count])", "usage: \(command.synopsis)")
    }
    if operands.count > command.operands.count {
      throw .usage(
        "'\(operands[command.operands.count])' is one argument too many",
        "usage: \(command.synopsis); quote arguments that contain spaces")
    }
  }
}
