import Foundation
import HeliographTestSupport

@testable import Heliograph

/// The time at which the stored responses of these tests were received: 1 January 2026.
let stored = Date(timeIntervalSince1970: 1_767_225_600)

extension CachedHead {
  /// A head that was requested and received at ``stored``.
  init(_ headers: HTTPHeaders, status: Int = 200) {
    self.init(statusCode: status, headers: headers, requestedAt: stored, receivedAt: stored)
  }

  /// A head with `Cache-Control`, generated at ``stored``.
  init(_ directives: String, _ headers: HTTPHeaders = [:], status: Int = 200) {
    var fields: HTTPHeaders = ["Cache-Control": directives, "Date": HTTPDate.text(of: stored)]
    fields.merge(headers)
    self.init(fields, status: status)
  }
}

/// Returns the text of a date, in seconds after ``stored``.
func date(_ seconds: Double) -> String { HTTPDate.text(of: stored + seconds) }
