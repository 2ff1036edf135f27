import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Random forms over a real socket, read by Python: by a parser of its own and by one written for the test.
struct RandomFormTests {
  static let python = Certificates.find("python3")

  /// What a parser has found: name, file name, type and content in Base64 of each part.
  private struct Found: Decodable {
    let strict: [[String?]]
    let email: [[String?]]
  }

  private struct Form: Encodable {
    let type: String
    let body: Data
  }

  @Test("S0-20", .enabled(if: python != nil, "python3 is not installed"), arguments: TransportKind.present)
  func pythonReadsWhatWasSent(_ kind: TransportKind) async throws {
    let files = try RandomForm.Files()
    defer { files.remove() }
    let server = try LoopbackServer()
    server.route("POST", "/form") { _ in .status(204) }
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: try kind.transport()))
    let forms = (0..<(kind == .curl ? 1000 : 200)).map { _ in RandomForm(files) }
    for form in forms {
      let request = Request(.post, "/form", body: .multipart(form.multipart))
      try await expectEqual(client.send(request).statusCode, 204)
    }
    let requests = server.log.requests
    try require(requests.count == forms.count)
    let results = try await parsed(requests, in: files.folder)
    try require(results.count == forms.count)
    for (form, found) in zip(forms, results) {
      expectEqual(parts(found.strict), form.parts)
      expectEqual(parts(found.email), form.parts)
    }
  }

  /// Runs one process for all of them.
  private func parsed(_ requests: [LoopbackRequest], in folder: URL) async throws -> [Found] {
    let (input, output) = (folder.appendingPathComponent("input"), folder.appendingPathComponent("output"))
    let log = folder.appendingPathComponent("log")
    var lines = Data()
    for request in requests {
      lines += try JSONEncoder().encode(Form(type: request.header("Content-Type") ?? "", body: request.body))
      lines.append(10)
    }
    try lines.write(to: input)
    try Data().write(to: log)
    let script = Repository.fixture("multipart.py")
    let errors = try FileHandle(forWritingTo: log)
    let process = try Child(
      RandomFormTests.python?.path ?? "", [script.path, input.path, output.path], errors: errors)
    let status = await process.wait()
    expectEqual(status, 0, "\((try? String(contentsOf: log, encoding: .utf8)) ?? "")")
    return try Data(contentsOf: output).split(separator: 10).map { try JSONDecoder().decode(Found.self, from: $0) }
  }

  private func parts(_ found: [[String?]]) -> [RandomForm.Part] {
    found.compactMap { fields in
      guard fields.count == 4, let name = fields[0], let text = fields[3], let content = Data(base64Encoded: text)
      else {
        return nil
      }
      return RandomForm.Part(
        name: Array(name.utf8), fileName: fields[1].map { Array($0.utf8) }, type: fields[2], content: content)
    }
  }
}
