/// What the command line asks for.
struct Options {
  static let usage = """
    usage: NetworkBenchmarks drive [--brief] [--check] [--only text] [--rounds number]
      --brief         a few seconds for each case, for CI; a missed target is no failure
      --check         exit with 1 if a target is missed
      --only text     only the variants whose id contains the text, such as get-16, curl or cancel
      --rounds number how often each variant is measured; the median counts
    Called by .ci/bench-network, which sets up the servers.
    """

  var isBrief = false
  var checks = false
  var only = ""
  var roundCount: Int?

  /// What the arguments mean.
  ///
  /// - Returns: `nil` if they make no sense.
  init?(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--brief": isBrief = true
      case "--check": checks = true
      case "--only":
        guard let text = rest.next() else { return nil }
        only = text.lowercased()
      case "--rounds":
        guard let number = rest.next().flatMap({ Int($0) }), number > 0 else { return nil }
        roundCount = number
      default: return nil
      }
    }
  }
}
