import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport

@testable import HeliographInspector

/// A browser for tests: raw requests to an inspector, one connection each.
struct InspectorPageOf {
  struct Reply {
    let status: Int
    let head: String
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    func json() throws -> JSON { try JSON(data: body) }
  }

  private struct Malformed: Error {}

  let inspector: NetworkInspector
  /// The path of the page, with the token: `/4f…/`.
  var path: String { inspector.url.path(percentEncoded: true) }
  var port: UInt16 { UInt16(inspector.url.port ?? 0) }

  /// Requests a resource of the page as the page does.
  func get(_ resource: String = "") async throws -> Reply {
    try await send("GET", path + resource, ["Host": "127.0.0.1:\(port)"])
  }

  /// Sends a request with exactly these fields, and reads up to the end of the connection.
  func send(_ method: String, _ target: String, _ fields: [String: String], body: String = "") async throws -> Reply {
    let fields = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
    let request = "\(method) \(target) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n\(body)"
    let data = try await onThread { [port] in
      let socket = try LoopbackSocket.make()
      let handle = FileHandle(fileDescriptor: socket, closeOnDealloc: true)
      guard LoopbackSocket.connect(socket, to: port) else { throw Malformed() }
      LoopbackSocket.write(Data(request.utf8), to: socket)
      return try handle.readToEnd() ?? Data()  // blocks: a thread of its own
    }
    guard let end = data.firstRange(of: Data("\r\n\r\n".utf8)) else { throw Malformed() }
    let head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
    guard let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { throw Malformed() }
    return Reply(status: status, head: head, body: Data(data[end.upperBound...]))
  }

  /// The changes after a revision.
  func changes(after revision: Int = 0) async throws -> JSON { try await get("changes?after=\(revision)").json() }

  /// The rows of the list once they meet a condition, each exchange once.
  func rows(until isMet: ([JSON]) -> Bool) async throws -> [JSON] {
    var rows: [Int: JSON] = [:]
    var revision = 0
    while true {
      let changes = try await changes(after: revision)
      for row in changes["rows"].array ?? [] { rows[row["key"].int ?? 0] = row }
      let found = rows.sorted { $0.key < $1.key }.map(\.value)
      if isMet(found) { return found }
      revision = try require(changes["revision"].int)
    }
  }
}
