extension Duration {
  /// The whole duration in attoseconds; the standard library's `attoseconds` requires Swift 6.2 (SE-0457).
  package var wholeAttoseconds: Int128 { Int128(_high) << 64 | Int128(_low) }

  /// Creates a duration from a number of attoseconds.
  package init(wholeAttoseconds: Int128) {
    self.init(
      _high: Int64(truncatingIfNeeded: wholeAttoseconds >> 64), low: UInt64(truncatingIfNeeded: wholeAttoseconds))
  }
}
