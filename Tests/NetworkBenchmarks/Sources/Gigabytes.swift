import Foundation
import Heliograph
import Signals

private func download(_ site: Site, _ kind: Client) async throws -> Sample {
  let client = try kind.client()
  return await measureTransfer(Site.hugeByteCount, warmup: warmup(site, client)) { done in
    let file = site.freshFile()
    client.download(request: URL(address: site.huge), to: file).subscribe(
      onValue: { _ in }, onFailure: { fail("\($0)") },
      onCompletion: {
        let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        if size != Site.hugeByteCount { fail("the file has another length") }
        done()
      })
  }
}

private func upload(_ site: Site, _ kind: Client) async throws -> Sample {
  let client = try kind.client()
  let request = Request(
    .put, RequestPath(site.upload), body: .file(site.hugeFile, contentType: "application/octet-stream"))
  return await measureTransfer(Site.hugeByteCount, warmup: warmup(site, client)) { done in
    client.upload(request: request, resultType: Envelope.self).subscribe(
      onValue: { if $0.finished?.value.isRight == false { fail("the envelope is another") } },
      onFailure: { fail("\($0)") }, onCompletion: done)
  }
}

private func warmup(_ site: Site, _ client: NetworkClient) -> Exchange {
  { done in
    client.exchange(request: URL(address: site.small))
      .subscribe(onValue: { _ in }, onFailure: { fail("\($0)") }, onCompletion: done)
  }
}

extension Group {
  /// A gigabyte each way, with all that a client does, beside the `curl` program.
  static func gigabytes(_ site: Site) -> [Group] {
    [
      gigabyte(
        "1 GB to a file", "gigabyte-down", "download(request:to:)",
        curl: { ["--output", $0.freshFile().path, $0.huge] }, download),
      gigabyte(
        "1 GB from a file", "gigabyte-up", "upload(request:resultType:)",
        curl: { ["--output", "/dev/null", "--header", "Expect:", "--upload-file", $0.hugeFile.path, $0.upload] }, upload
      ),
    ]
  }

  private static func gigabyte(
    _ title: String, _ id: String, _ call: String, curl: @escaping @Sendable (Site) -> [String],
    _ work: @escaping @Sendable (Site, Client) async throws -> Sample
  ) -> Group {
    Group(
      title: title, figures: [.megabytesPerSecond, .cpuMilliseconds, .growth, .peak], rate: .megabytesPerSecond,
      roundCount: 5,
      variants: [
        Variant(
          id: "\(id)/curl", title: "the curl program", isOurs: false, work: .curl(byteCount: Site.hugeByteCount, curl)),
        Variant(
          id: "\(id)/curl-transport", title: "client over CurlTransport, \(call)", rival: "\(id)/curl",
          work: .swift { site, _ in try await work(site, .curlTransport) }),
      ])
  }
}
