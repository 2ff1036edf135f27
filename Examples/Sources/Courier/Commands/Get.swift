import Foundation
import Heliograph

/// `courier get URL`: a download to a file that survives interruptions.
struct Get: Command {
  static let summary = CommandSummary(
    name: "get", operands: ["URL"], purpose: "download to a file, and continue where the last run stopped",
    details: """
      Downloads to a file named like the last part of the URL, or to that of --output.
      Until the file is whole, its bytes are in FILE.part, and an old FILE stays as it
      is. After Ctrl-C, a crash or a lost connection the same command continues from
      there, if the server supports it and the content has not changed. Retries are
      counted anew whenever 256 KiB more have arrived.
      """,
    options: [
      .output, .sha256, .limitSize, .resumeID, .noResume, .noClobber, .createFolders,
    ],
    examples: [
      "courier get https://example.com/image.iso",
      "courier get https://example.com/image.iso -o disk.iso --sha256 9f86d081…",
      "courier get 'https://cdn.example.com/a.zip?signature=…' --id a.zip",
      "courier get https://example.com/data.json -o - | jq .",
    ])

  private let address: Address
  private let destination: Destination
  private let options: DownloadOptions
  private let sizeLimit: Int?

  init(_ arguments: Arguments) throws(Failure) {
    address = try Address(arguments.operand(0))
    destination = Destination(arguments.value(of: .output), for: address)
    sizeLimit = try arguments.byteCount(of: .limitSize)
    let digest = try arguments.digest(of: .sha256)
    options = .with {
      $0.id = arguments.value(of: .resumeID)
      $0.sha256 = digest
      $0.resumes = !arguments.has(.noResume)
      $0.replacesExisting = !arguments.has(.noClobber)
      $0.createsFolders = arguments.has(.createFolders)
    }
    if case .file = destination { return }
    if digest != nil { throw .usage("--sha256 needs a file", "download to one, or pipe to sha256sum") }
  }

  func run(_ context: Context) async throws {
    var request = context.request(.get, address)
    if let sizeLimit { request.options.limits = ResponseLimits(streamedByteCount: sizeLimit) }
    switch destination {
    case .output: try await context.print(request)
    case .device(let path):
      let device = try await FileOutput(openingDevice: path)
      defer { device.close() }
      try await context.print(request, to: device)
    case .file(let file): try await download(request, to: file, context)
    }
  }

  private func download(_ request: Request, to file: DestinationFile, _ context: Context) async throws {
    let offset = OffsetMonitor()
    let client = context.client(monitors: [offset])
    var meter = ProgressMeter(file.name, on: context.console)
    let start = ContinuousClock.now
    var isSaved = false
    do throws(NetworkError) {
      for try await event in client.download(request: request, to: file.url, options: options).values {
        switch event {
        case .progress(let progress): meter.show(progress)
        case .finished: isSaved = true
        }
      }
    } catch {
      throw Failure(error, to: file)
    }
    guard isSaved else { return context.console.note("not modified, as the condition in your header demands") }
    let byteCount = file.byteCount ?? meter.byteCount
    context.console.note(
      TransferText.summary(
        "saved \(file.name)", byteCount: byteCount, time: .now - start, resumedAt: offset.value ?? 0))
  }
}
