/// The texts of `--help`.
struct Manual {
  private let style: Style

  init(_ style: Style) { self.style = style }

  /// The manual of the tool.
  var overview: String {
    """
    courier: downloads that continue, uploads, and live streams over HTTP

    \(style.bold("Usage"))
      courier COMMAND URL [options]
      courier COMMAND --help

    \(style.bold("Commands"))
    \(table(Courier.commands.map { ([$0.summary.name] + $0.summary.operands, $0.summary.purpose) }))

    \(style.bold("Examples"))
      courier get https://example.com/image.iso
      courier post https://api.example.com/orders --json '{"product": 7}'
      courier upload https://example.com/photos lamp.jpg --field title=Lamp
      courier events https://example.com/prices --json | jq .data

    \(style.bold("Options of every command"))
    \(table(Option.common))

    \(style.bold("URLs"))
      Without a scheme, https is assumed, and http for this machine:
      localhost:8000/a is http://localhost:8000/a.

    \(style.bold("Exit codes")), those of curl where it has one
    \(table(ExitCode.allCases.map { (["\($0.rawValue)"], $0.meaning) }))

    \(style.bold("Environment"))
      COURIER_TOKEN  the token of --bearer
      https_proxy    the proxy; also http_proxy and no_proxy
      NO_COLOR       if set, headings are not bold
    """
  }

  /// Returns the manual of a command.
  func text(of command: any Command.Type) -> String {
    let summary = command.summary
    let examples = summary.examples.map { "  \($0)" }.joined(separator: "\n")
    let sections = [
      "courier \(summary.name): \(summary.purpose)",
      section("Usage", "  \(summary.synopsis)"),
      summary.details,
      summary.options.isEmpty ? "" : section("Options", table(summary.options)),
      section("Options of every command", table(Option.common)),
      section("Examples", examples),
      "Exit codes are listed by 'courier --help'.",
    ]
    return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private func section(_ heading: String, _ text: String) -> String { "\(style.bold(heading))\n\(text)" }

  private func table(_ options: [Option]) -> String {
    table(
      options.map { option in
        let letter = option.letter.map { "-\($0)," } ?? "   "
        return ([letter, "--\(option.name)"] + (option.placeholder.map { [$0] } ?? []), option.help)
      })
  }

  /// Returns rows in two columns, the second one of one line or several.
  private func table(_ rows: [(words: [String], text: String)]) -> String {
    let names = rows.map { $0.words.joined(separator: " ") }
    let width = names.map(\.count).max() ?? 0
    let indent = "\n" + String(repeating: " ", count: width + 4)
    return zip(names, rows).map { name, row in
      let lines = row.text.split(separator: "\n").joined(separator: indent)
      return "  " + name + String(repeating: " ", count: width - name.count + 2) + lines
    }.joined(separator: "\n")
  }
}

/// Bold text on terminals.
struct Style: Sendable {
  let isOn: Bool

  func bold(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
