import Heliograph
import Testing

@testable import Courier

@Suite struct ManualTests {
  private func run(_ words: String..., columns: Int? = nil, environment: [String: String] = [:]) async -> (
    Int32, Recorder, Recorder
  ) {
    let (output, errors) = (Recorder(columns: columns), Recorder())
    return (await Courier.run(words, output: output, errors: errors, environment: environment), output, errors)
  }

  @Test func theOverviewListsEverything() async {
    let (code, output, errors) = await run("--help")
    #expect(code == 0 && errors.text.isEmpty)
    for command in Courier.commands { #expect(output.text.contains("  \(command.summary.name) ")) }
    for option in Option.common { #expect(output.text.contains("--\(option.name)")) }
    for code in ExitCode.allCases { #expect(output.text.contains("\(code.rawValue) ")) }
  }

  @Test(arguments: Courier.commands.map { $0.summary.name })
  func eachCommandHasAManual(_ name: String) async throws {
    let command = try #require(Courier.commands.first { $0.summary.name == name })
    let (code, output, _) = await run(name, "--help")
    #expect(code == 0)
    for option in command.summary.options { #expect(output.text.contains("--\(option.name)")) }
    for example in command.summary.examples { #expect(output.text.contains(example)) }
    #expect(await run("help", name).1.text == output.text)
  }

  @Test func linesFitIntoATerminal() {
    let manual = Manual(Style(isOn: false))
    let texts = [manual.overview] + Courier.commands.map(manual.text)
    for text in texts {
      for line in text.split(separator: "\n") {
        #expect(line.count <= 80, "\(line)")
        #expect(line.last != " ", "\(line)")
      }
    }
  }

  @Test func optionsOfACommandDoNotCollide() {
    for command in Courier.commands {
      let options = command.summary.options + Option.common
      #expect(Set(options.map(\.name)).count == options.count)
      let letters = options.compactMap(\.letter)
      #expect(Set(letters).count == letters.count)
    }
  }

  @Test func headingsAreBoldOnTerminalsOnly() async {
    #expect(await run("--help", columns: 80).1.text.contains("\u{1B}[1mUsage"))
    #expect(await !run("--help").1.text.contains("\u{1B}"))
    #expect(await !run("--help", columns: 80, environment: ["NO_COLOR": "1"]).1.text.contains("\u{1B}"))
  }

  @Test func versionAndUnknownCommands() async {
    #expect(await run("--version").1.text == "courier \(Courier.version)\n")
    let problems = [
      ("gte", "courier: unknown command 'gte': did you mean 'get'?\n"),
      ("-v", "courier: -v comes before the command: options follow the command, as in 'courier get URL -v'\n"),
      (
        "https://a.org/b",
        "courier: unknown command https://a.org/b: to download it, type 'courier get https://a.org/b'\n"
      ),
    ]
    for (word, text) in problems {
      let (code, output, errors) = await run(word)
      #expect(code == 2 && output.text.isEmpty)
      #expect(errors.text == text)
    }
    let (code, _, errors) = await run()
    #expect(code == 2)
    #expect(errors.text == "courier: nothing to do: see 'courier --help'\n")
  }
}
