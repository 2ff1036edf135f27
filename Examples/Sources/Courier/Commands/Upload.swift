import Foundation
import Heliograph

/// `courier upload URL FILE`: a file as multipart form or as the body itself.
struct Upload: Command {
  static let summary = CommandSummary(
    name: "upload", operands: ["URL", "FILE"], purpose: "send a file, with progress",
    details: """
      Sends a file as a multipart form, as browsers do, or with --put as the body of a
      PUT. The file is read while it is sent; - is standard input. Prints the body of
      the response to standard output.
      """,
    options: [.field, .name, .put],
    examples: [
      "courier upload https://example.com/photos lamp.jpg --field title=Lamp",
      "courier upload https://storage.example.com/backup.tar backup.tar --put",
      "tar c . | courier upload https://storage.example.com/backup.tar - --put",
    ])

  private let address: Address
  private let source: UploadSource
  private let fields: [(name: String, value: String)]
  private let name: String
  private let isRaw: Bool

  init(_ arguments: Arguments) throws(Failure) {
    address = try Address(arguments.operand(0))
    source = try UploadSource(arguments.operand(1))
    fields = try arguments.pairs(of: .field)
    name = arguments.value(of: .name) ?? "file"
    isRaw = arguments.has(.put)
    if isRaw, !fields.isEmpty || arguments.has(.name) {
      throw .usage("--put sends the file alone", "drop --field and --name, or --put")
    }
  }

  func run(_ context: Context) async throws {
    let client = context.client()
    var meter = ProgressMeter(source.title, on: context.console)
    let start = ContinuousClock.now
    let response = try await client.upload(request(context), as: Data.self) { progress in
      if progress.direction == .sending { meter.show(progress) }
    }
    context.console.endLiveLine()
    try context.write(response.value)
    context.endLine(after: response.value)
    context.console.note(
      TransferText.summary("sent \(source.title)", byteCount: meter.byteCount, time: .now - start))
  }

  private func request(_ context: Context) -> Request {
    let parts = fields.map { Multipart.Part.text($0.name, $0.value) }
    var request =
      isRaw
      ? context.request(.put, address, body: source.body(input: context.input))
      : context.request(.post, address, body: .multipart(Multipart(parts + [source.part(name, input: context.input)])))
    // Standard input is gone after the first attempt, whatever the method.
    if case .input = source { request.options.isIdempotent = false }
    return request
  }
}
