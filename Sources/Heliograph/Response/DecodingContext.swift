import Foundation
import Signals

/// The context of one decoding, passed to the decoded types in the decoder's `userInfo`.
package final class DecodingContext: Sendable {
  private struct State {
    var report = DecodeReport()
    var body: ParsedBody?
    var lacksNulls = false
  }

  /// The envelope for `Enveloped`; `nil` if the body has none.
  let envelope: (any Envelope)?
  private let state = Guarded(State())

  package init(_ envelope: (any Envelope)? = nil) { self.envelope = envelope }

  var userInfo: [CodingUserInfoKey: any Sendable] { [.heliograph: self] }

  /// The values dropped or replaced by lenient decoding so far.
  package var report: DecodeReport { state.withLock { $0.report } }

  var entryCount: Int { state.withLock { $0.report.count } }

  /// Adds an entry to the report in place of all entries after the first `count`.
  func add(since count: Int, _ entry: DecodeReport.Entry) {
    state.withLock { state in
      state.report.removeEntries(since: count)
      state.report.add(entry)
    }
  }

  /// Sets the body that is being decoded; called by ``JSONCoding`` only.
  func setBody(_ body: ParsedBody) { state.withLock { $0.body = body } }

  /// Whether null has been removed from the body, so that a missing name may have been sent as null.
  var lacksNulls: Bool { state.withLock { $0.lacksNulls } }

  /// Sets whether null has been removed from the body; called by ``JSONCoding`` only.
  func setLacksNulls(_ lacksNulls: Bool) { state.withLock { $0.lacksNulls = lacksNulls } }

  /// Whether the decoder converts the names in the body from snake case.
  var convertsKeys: Bool { state.withLock { $0.body?.convertsKeys == true } }

  /// Returns the value at a path of the body; `nil` if there is none, or the name is ambiguous.
  ///
  /// A custom envelope may decode the payload from a string in the body.
  func value(at path: [any CodingKey]) -> JSON? {
    guard envelope == nil || envelope is KeyedEnvelope else { return nil }
    return state.withLock { $0.body?.value(at: path) }
  }
}

extension CodingUserInfoKey {
  package static let heliograph = CodingUserInfoKey(rawValue: "Heliograph")!
}

extension Decoder {
  /// The context of the body; `nil` if the decoder has none.
  var context: DecodingContext? { userInfo[.heliograph] as? DecodingContext }
}
