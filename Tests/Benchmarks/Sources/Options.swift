/// What the command line asks for.
struct Options {
  static let usage = """
    usage: Benchmarks [--brief] [--check] [--json] [--filter text]
      --brief        a run of a few seconds, for CI: short samples, shallow recursion
      --check        exit with 1 if a line is beyond 3 times its target (1.5 times if it is compared with the same work
                     by hand, 5 times if several threads share it), or allocates more than its target
      --json         print JSON instead of the table
      --filter text  only the lines whose name contains the text
    """

  /// Also what is enough for work that takes long.
  static let leastRounds = 7

  var isBrief = false
  var checks = false
  var printsJSON = false
  var filter = ""

  /// - Returns: `nil` if the arguments make no sense.
  init?(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--brief": isBrief = true
      case "--check": checks = true
      case "--json": printsJSON = true
      case "--filter":
        guard let text = rest.next() else { return nil }
        filter = text.lowercased()
      default: return nil
      }
    }
  }

  /// How often each line is measured.
  var rounds: Int { isBrief ? Options.leastRounds : 15 }

  /// How long one sample takes at least, in nanoseconds.
  var sampleLength: Double { isBrief ? 1_000_000 : 15_000_000 }

  /// How deep the recursions go.
  var levels: Int { isBrief ? 50_000 : 1_000_000 }
}
