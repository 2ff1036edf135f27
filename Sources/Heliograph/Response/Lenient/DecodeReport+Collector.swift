import Signals

extension DecodeReport {
  /// Gathers what lenient decoding does.
  ///
  /// Set it as the decoder's `userInfo[.decodeReport]`, a new one for each decoding.
  package final class Collector: Sendable {
    private let state = Guarded(DecodeReport())

    /// Makes a collector with an empty report.
    package init() {}

    /// What was gathered so far.
    package var report: DecodeReport { state.withLock { $0 } }

    var entryCount: Int { state.withLock { $0.entries.count } }

    /// Adds an entry in the place of those that came since there were so many.
    func add(since count: Int, _ entry: Entry) {
      state.withLock { report in
        report.removeEntries(since: count)
        report.add(entry)
      }
    }
  }
}

extension CodingUserInfoKey {
  /// Where a decoder keeps the ``DecodeReport/Collector`` for its lenient parts.
  package static let decodeReport = CodingUserInfoKey(rawValue: "Heliograph.decodeReport")!
}

/// The report during one lenient step, if anybody wants one.
struct LenientStep {
  private let collector: DecodeReport.Collector?
  private let entryCount: Int

  init(_ decoder: any Decoder) {
    self.init(decoder.userInfo[.decodeReport] as? DecodeReport.Collector)
  }

  private init(_ collector: DecodeReport.Collector?) {
    self.collector = collector
    entryCount = collector?.entryCount ?? 0
  }

  /// A step that begins now.
  var again: LenientStep { LenientStep(collector) }

  /// Notes what went wrong in the step, in the place of what was noted during it.
  func note(
    _ error: any Error, decoding type: Any.Type, at path: @autoclosure () -> [any CodingKey],
    _ action: DecodeReport.Action
  ) {
    guard let collector else { return }
    collector.add(since: entryCount, DecodeReport.Entry(error, decoding: type, at: path(), action))
  }

  /// Notes that there is nothing, or null.
  func noteAbsence(of type: Any.Type, at path: [any CodingKey], isNull: Bool) {
    collector?.add(
      since: entryCount,
      DecodeReport.Entry(
        path: path.pathText, expected: "\(type)", found: isNull ? "null" : "nothing", action: .defaulted))
  }
}
