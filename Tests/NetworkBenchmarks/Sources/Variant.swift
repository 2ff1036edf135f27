/// How long the measurements take.
struct Scale {
  let isBrief: Bool

  /// Milliseconds of a case of small requests, before and while it is measured.
  var warmup: Int { isBrief ? 100 : 400 }
  var measured: Int { isBrief ? 400 : 2_000 }
  /// How many rounds of cancelling are compared.
  var cancelRoundCount: Int { isBrief ? 4 : 10 }
  /// How long a slow consumer is watched, in milliseconds.
  var consuming: Int { isBrief ? 2_000 : 8_000 }
}

/// One way to do some work, measured in a process of its own.
struct Variant: Sendable {
  enum Work: Sendable {
    /// Done by this program.
    case swift(@Sendable (Site, Scale) async throws -> Sample)
    /// Done by the program in C, with these arguments.
    case baseline(@Sendable (Site, Scale) -> [String])
    /// Done by the `curl` program with these arguments; it transfers a number of bytes, and measures itself.
    case curl(byteCount: Int, @Sendable (Site) -> [String])
  }

  /// Such as `get-16/curl-transport`.
  let id: String
  let title: String
  /// The id of the variant in C that costs are compared with.
  var floor: String?
  /// The id of the variant over bare `URLSession` that rates are compared with.
  var rival: String?
  /// Whether it is this project's code, whose failure is ours.
  var isOurs = true
  /// Whether it can only be measured where the system trusts the site's authority.
  var needsSystemTrust = false
  let work: Work
}

/// Variants that do the same work, measured in turn.
struct Group: Sendable {
  let title: String
  /// The columns of its table.
  let figures: [Figure]
  /// What is compared with the rival.
  ///
  /// More is better, but for times.
  var rate: Figure?
  /// What is compared with the floor.
  ///
  /// Less is better.
  var cost: Figure?
  let roundCount: Int
  let variants: [Variant]

  static func all(_ site: Site) -> [Group] {
    gets(site) + downloads(site) + [uploads(site)] + gigabytes(site) + secureGets(site) + [
      cancels, crowds(site), slowConsumers(site),
    ]
  }
}
