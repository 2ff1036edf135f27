import Signals

extension DecodeReport {
  /// A collector for what lenient decoding drops or replaces.
  ///
  /// Set it as `userInfo[.decodeReport]` of the decoder. Use a new one for each decoding.
  package final class Collector: Sendable {
    private let state = Guarded(DecodeReport())

    /// Creates a collector with an empty report.
    package init() {}

    /// The report so far.
    package var report: DecodeReport { state.withLock { $0 } }

    var entryCount: Int { state.withLock { $0.entries.count } }

    /// Adds an entry, which replaces the entries after a count.
    func add(since count: Int, _ entry: Entry) {
      state.withLock { report in
        report.removeEntries(since: count)
        report.add(entry)
      }
    }
  }
}

extension CodingUserInfoKey {
  /// The key for the ``DecodeReport/Collector`` of a decoder.
  package static let decodeReport = CodingUserInfoKey(rawValue: "Heliograph.decodeReport")!
}

/// A lenient step of decoding, which reports to the decoder's collector if there is one.
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

  /// A step that starts now.
  var again: LenientStep { LenientStep(collector) }

  /// Reports an error of the step, in place of the entries that were added during it.
  func note(
    _ error: any Error, decoding type: Any.Type, at path: @autoclosure () -> [any CodingKey],
    _ action: DecodeReport.Action
  ) {
    guard let collector else { return }
    collector.add(since: entryCount, DecodeReport.Entry(error, decoding: type, at: path(), action))
  }

  /// Reports a missing value, or null.
  func noteAbsence(of type: Any.Type, at path: [any CodingKey], isNull: Bool) {
    collector?.add(
      since: entryCount,
      DecodeReport.Entry(
        path: path.pathText, expected: "\(type)", found: isNull ? "null" : "nothing", action: .defaulted))
  }
}
