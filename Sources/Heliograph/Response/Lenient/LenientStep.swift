/// A lenient step of decoding, which reports to the decoder's context if there is one.
struct LenientStep {
  private let context: DecodingContext?
  private let entryCount: Int

  init(_ decoder: any Decoder) {
    self.init(decoder.context)
  }

  private init(_ context: DecodingContext?) {
    self.context = context
    entryCount = context?.entryCount ?? 0
  }

  /// A copy that starts now.
  var again: LenientStep { LenientStep(context) }

  /// Reports an error of the step, which replaces the entries added during it.
  func note(
    _ error: any Error, decoding type: Any.Type, at path: @autoclosure () -> [any CodingKey],
    _ action: DecodeReport.Action
  ) {
    guard let context else { return }
    context.add(since: entryCount, DecodeReport.Entry(error, decoding: type, at: path(), action))
  }

  /// Reports a missing or null value.
  func noteAbsence(of type: Any.Type, at path: [any CodingKey], isNull: Bool) {
    context?.add(
      since: entryCount,
      DecodeReport.Entry(
        path: path.pathText, expected: "\(type)", found: isNull ? "null" : "nothing", action: .defaulted))
  }
}
