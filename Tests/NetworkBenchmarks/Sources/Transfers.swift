import Foundation
import Heliograph
import Signals
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Measures one transfer of a large body, after a small request that has warmed everything up.
func measureTransfer(_ byteCount: Int, warmup: Exchange, _ transfer: Exchange) async -> Sample {
  await wait(for: warmup)
  Gauge.trim()
  Gauge.resetPeak()
  let resident = Gauge.resident
  let (start, cpu) = (Gauge.nanoseconds, Gauge.cpuNanoseconds)
  await wait(for: transfer)
  let (seconds, used) = (Double(Gauge.nanoseconds - start) / 1e9, Double(Gauge.cpuNanoseconds - cpu))
  let peak = Gauge.peak
  return [
    .megabytesPerSecond: Double(byteCount) / 1e6 / seconds, .cpuMilliseconds: used / 1e6,
    .growth: peak - resident, .peak: peak,
  ]
}

/// A new file that pieces are appended to with `write(2)`.
final class FreshFile: Sendable {
  let url: URL
  private let descriptor: Int32
  private let byteCount = Mutex(0)

  init(_ url: URL) {
    self.url = url
    descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    if descriptor < 0 { fail("cannot create \(url.path)") }
  }

  func append(_ piece: Data) {
    piece.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count < 0 { fail("cannot write to \(url.path)") }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
    byteCount.withLock { $0 += piece.count }
  }

  func finish() {
    close(descriptor)
    if byteCount.withLock({ $0 }) != Site.largeByteCount { fail("the file has another length") }
  }
}

// MARK: Over URLSession

private func sessionDownload(_ site: Site, toFile: Bool) async -> Sample {
  let session = Client.session()
  let url = URL(address: site.large)
  let warmup: Exchange = { done in session.dataTask(with: URL(address: site.small)) { _, _, _ in done() }.resume() }
  return await measureTransfer(Site.largeByteCount, warmup: warmup) { done in
    if toFile {
      session.downloadTask(with: url) { file, _, error in
        let size = file.flatMap { try? FileManager.default.attributesOfItem(atPath: $0.path)[.size] as? Int }
        if size != Site.largeByteCount { fail("no file: \(String(describing: error))") }
        done()
      }.resume()
    } else {
      session.dataTask(with: url) { data, _, error in
        if data?.count != Site.largeByteCount { fail("no body: \(String(describing: error))") }
        done()
      }.resume()
    }
  }
}

private func sessionUpload(_ site: Site) async -> Sample {
  let session = Client.session()
  let warmup: Exchange = { done in session.dataTask(with: URL(address: site.small)) { _, _, _ in done() }.resume() }
  return await measureTransfer(Site.uploadByteCount, warmup: warmup) { done in
    var request = URLRequest(url: URL(address: site.upload))
    request.httpMethod = "PUT"
    session.uploadTask(with: request, fromFile: site.uploaded) { _, response, error in
      if (response as? HTTPURLResponse)?.statusCode != 200 { fail("not taken: \(String(describing: error))") }
      done()
    }.resume()
  }
}

// MARK: Over CurlTransport

extension Transport {
  /// Sends a request and waits until all of the answer has come; it has to be a 200.
  func exchange(_ request: HTTPRequest) -> Exchange {
    { done in
      self.send(request).subscribe(
        onValue: { if case .head(let head) = $0, head.statusCode != 200 { fail("status \(head.statusCode)") } },
        onFailure: { fail("\($0)") }, onCompletion: done)
    }
  }
}

private func memoryDownload(_ site: Site, _ kind: Client) async throws -> Sample {
  let client = try kind.client()
  let warmup: Exchange = { done in
    client.exchange(request: Request(.get, RequestPath(site.small))).subscribe(
      onValue: { _ in }, onFailure: { _ in }, onCompletion: done)
  }
  return await measureTransfer(Site.largeByteCount, warmup: warmup) { done in
    client.exchange(request: Request(.get, RequestPath(site.large))).subscribe(
      onValue: { if $0.value.count != Site.largeByteCount { fail("the body has another length") } },
      onFailure: { fail("\($0)") }, onCompletion: done)
  }
}

private func fileDownload(_ site: Site, _ kind: Client, hops: Bool) async throws -> Sample {
  let transport = try kind.transport()
  let warmup = transport.exchange(HTTPRequest(url: URL(address: site.small)))
  return await measureTransfer(Site.largeByteCount, warmup: warmup) { done in
    let file = FreshFile(site.freshFile())
    let events = transport.send(HTTPRequest(url: URL(address: site.large)))
    (hops ? events.observe(on: .serial("file")) : events).subscribe(
      onValue: { if case .body(let piece) = $0 { file.append(piece) } },
      onFailure: { fail("\($0)") },
      onCompletion: {
        file.finish()
        done()
      })
  }
}

private func fileUpload(_ site: Site, _ kind: Client) async throws -> Sample {
  let transport = try kind.transport()
  let warmup = transport.exchange(HTTPRequest(url: URL(address: site.small)))
  let request = HTTPRequest(method: .put, url: URL(address: site.upload), body: .file(site.uploaded))
  return await measureTransfer(Site.uploadByteCount, warmup: warmup, transport.exchange(request))
}

// MARK: Variants

extension Group {
  private static let transferFigures: [Figure] = [.megabytesPerSecond, .cpuMilliseconds, .growth, .peak]

  private static func transfers(_ title: String, _ variants: [Variant]) -> Group {
    Group(
      title: title, figures: transferFigures, rate: .megabytesPerSecond, cost: .cpuMilliseconds, roundCount: 5,
      variants: variants)
  }

  static func downloads(_ site: Site) -> [Group] {
    let file = Variant.Work.baseline { site, _ in ["file", site.large, site.freshFile().path] }
    return [
      transfers(
        "200 MB to memory",
        [
          Variant(
            id: "memory/c", title: "C over libcurl", isOurs: false,
            work: .baseline { site, _ in ["memory", site.large] }),
          Variant(
            id: "memory/urlsession", title: "URLSession data task", isOurs: false,
            work: .swift { site, _ in await sessionDownload(site, toFile: false) }),
          transfer("memory", .curlTransport, Client.curlTransport.title) { try await memoryDownload($0, $1) },
        ]),
      transfers(
        "200 MB to a file",
        [
          Variant(id: "file/c", title: "C over libcurl", isOurs: false, work: file),
          Variant(
            id: "file/urlsession", title: "URLSession download task", isOurs: false,
            work: .swift { site, _ in await sessionDownload(site, toFile: true) }),
          transfer("file", .curlTransport, "CurlTransport, write(2)") {
            try await fileDownload($0, $1, hops: false)
          },
          transfer("file", .curlTransport, "CurlTransport, observe(on: serial), write(2)", suffix: "-serial") {
            try await fileDownload($0, $1, hops: true)
          },
        ]),
    ]
  }

  static func uploads(_ site: Site) -> Group {
    transfers(
      "100 MB from a file",
      [
        Variant(
          id: "upload/c", title: "C over libcurl", isOurs: false,
          work: .baseline { site, _ in ["upload", site.upload, site.uploaded.path] }),
        Variant(
          id: "upload/urlsession", title: "URLSession upload task", isOurs: false,
          work: .swift { site, _ in await sessionUpload(site) }),
        transfer("upload", .curlTransport, "CurlTransport, body from the file") { try await fileUpload($0, $1) },
      ])
  }

  private static func transfer(
    _ group: String, _ client: Client, _ title: String, suffix: String = "",
    _ work: @escaping @Sendable (Site, Client) async throws -> Sample
  ) -> Variant {
    Variant(
      id: "\(group)/\(client.rawValue)\(suffix)", title: title, floor: "\(group)/c", rival: "\(group)/urlsession",
      work: .swift { site, _ in try await work(site, client) })
  }
}
