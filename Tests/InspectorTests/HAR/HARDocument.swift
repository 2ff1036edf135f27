import Foundation
import Heliograph
import TestSupport
import Testing

/// A HAR file as a tool reads it.
struct HARDocument {
  let entries: [JSON]

  /// Parses a document; throws if it is not complete.
  init(_ data: Data) throws {
    let log = try JSON(data: data)["log"]
    expectEqual(log["version"].string, "1.2")
    entries = try require(log["entries"].array)
    // Safari refuses files whose first page has no date.
    let page = try require(log["pages"].array?.first)
    expect(page["startedDateTime"].string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(page)")
    expectEqual(page["pageTimings"].object?.isEmpty, true)
  }

  init(_ url: URL) throws { try self.init(try Data(contentsOf: url)) }

  /// The value at a path of each entry, such as `request.url`.
  func texts(_ path: String) -> [String?] { entries.map { Self.value($0, path).string } }

  func numbers(_ path: String) -> [Double?] { entries.map { Self.value($0, path).double } }

  private static func value(_ json: JSON, _ path: String) -> JSON {
    path.split(separator: ".").reduce(json) { $0[String($1)] }
  }
}

/// A folder for one test, which is removed at the end of the test.
final class HARFolder: Sendable {
  let url: URL
  let file: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("heliograph-har-\(UUID().uuidString)")
    file = url.appendingPathComponent("traffic.har")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The names of all files, also of hidden ones.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }
}
