/// The strength of a requirement (RFC 2119).
enum Requirement: String, CaseIterable, Sendable {
  /// A prohibition or an obligation, or the reuse that makes a cache a cache.
  case must
  /// A recommendation.
  case should
  /// An option that a good cache uses.
  case may
}

/// A conformance case: exchanges in order, each with the expected behaviour of the cache.
struct Case: Sendable {
  /// The behaviour, as a sentence.
  let name: String
  /// The section of the RFC that demands or allows the behaviour.
  let section: String
  let requirement: Requirement
  /// The reason why the cache does not use an option; only a `may` case has one.
  ///
  /// Such a case is run as well, and reported once the cache does use the option.
  let decision: String?
  /// The same for a cache that keeps nothing in memory.
  let diskDecision: String?
  /// The transport over which alone the case is run; `nil` means every transport.
  let transport: TransportKind?
  let exchanges: [Exchange]

  /// Creates a case of exchanges over one client with an empty cache, at the same path unless they state another.
  init(
    _ name: String, section: String, requirement: Requirement = .must, decision: String? = nil,
    diskDecision: String? = nil, over transport: TransportKind? = nil,
    @ListBuilder<Exchange> _ exchanges: () -> [Exchange]
  ) {
    self.name = name
    self.section = section
    self.requirement = requirement
    self.decision = decision
    self.diskDecision = diskDecision ?? decision
    self.transport = transport
    self.exchanges = exchanges()
  }
}

/// Cases about one part of the cache.
struct CaseGroup: Sendable, CustomStringConvertible {
  let name: String
  let cases: [Case]

  init(_ name: String, @ListBuilder<Case> _ cases: () -> [Case]) {
    self.name = name
    self.cases = cases()
  }

  var description: String { name }
}

/// Builds lists of cases and of exchanges, with loops.
@resultBuilder enum ListBuilder<Element> {
  static func buildExpression(_ element: Element) -> [Element] { [element] }
  static func buildPartialBlock(first: [Element]) -> [Element] { first }
  static func buildPartialBlock(accumulated: [Element], next: [Element]) -> [Element] { accumulated + next }
  static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap(\.self) }
}
