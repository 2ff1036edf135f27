// What the standard library has only since Swift 6.2 or Apple's systems of version 26, for `.ci/apple-check`: the package promises
// Swift 6.1 and macOS 15. A module's own names hide those of the standard library, so that a use of any is an error. Members are
// deprecated, as the compiler passes over what is unavailable. Versions are those that `swift symbolgraph-extract` shows for the
// standard library, and those of the proposals; OldestCompilerTests knows more, by name.

extension Duration {
  @available(*, deprecated, message: "Swift 6.2, SE-0457")
  var attoseconds: Int128 { fatalError() }
  @available(*, deprecated, message: "Swift 6.2, SE-0457")
  init(attoseconds: Int128) { fatalError() }
  @available(*, deprecated, message: "macOS 26: nanoseconds as a Double")
  static func nanoseconds(_ nanoseconds: Double) -> Duration { fatalError() }
}

extension EnumeratedSequence where Base: Collection {
  @available(*, deprecated, message: "macOS 26, SE-0459: a sequence only")
  var count: Int { fatalError() }
  @available(*, deprecated, message: "macOS 26, SE-0459: a sequence only")
  var isEmpty: Bool { fatalError() }
}

@available(*, unavailable, message: "macOS 26, SE-0453") struct InlineArray {}
@available(*, unavailable, message: "Swift 6.2, SE-0447") struct Span {}
@available(*, unavailable, message: "Swift 6.2, SE-0447") struct RawSpan {}
@available(*, unavailable, message: "macOS 26, SE-0464") struct UTF8Span {}
@available(*, unavailable, message: "macOS 26, SE-0475") struct Observations {}
@available(*, unavailable, message: "macOS 26, SE-0462") let withTaskPriorityEscalationHandler: Never = fatalError()
