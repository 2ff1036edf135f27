extension Duration {
  /// The duration in milliseconds, rounded to a tenth, as a text for logs.
  var milliseconds: String {
    let tenths = (self / .microseconds(100)).rounded()
    guard tenths.isFinite, abs(tenths) < 1e15 else { return description }
    return "\(Int64(tenths) / 10).\(abs(Int64(tenths)) % 10)"
  }
}
