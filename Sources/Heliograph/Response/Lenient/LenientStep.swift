/// The decoding of one value whose failure is reported to the decoder's context, if any, and not thrown.
struct LenientStep {
  private let context: DecodingContext?
  private let entryCount: Int

  init(_ decoder: any Decoder) { self.init(decoder.context) }

  private init(_ context: DecodingContext?) {
    self.context = context
    entryCount = context?.entryCount ?? 0
  }

  /// A new step for the next value.
  var restarted: LenientStep { LenientStep(context) }

  /// Reports an error of the step, in place of the entries added during it.
  func report(
    _ error: any Error, decoding type: Any.Type, at path: @autoclosure () -> [any CodingKey],
    _ action: DecodeReport.Action
  ) {
    guard let context else { return }
    context.add(since: entryCount, DecodeReport.Entry(error, decoding: type, at: path(), action))
  }

  /// Reports a missing or null value.
  func reportAbsence(of type: Any.Type, at path: [any CodingKey], isNull: Bool) {
    context?.add(
      since: entryCount,
      DecodeReport.Entry(
        path: path.pathText, expected: "\(type)", found: isNull ? "null" : "nothing", action: .defaulted))
  }
}
