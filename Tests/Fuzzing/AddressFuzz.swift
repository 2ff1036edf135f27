import Foundation

/// Any two texts as base and path: what is joined is an address whose parts everybody reads the same, or it is refused.
///
/// The input is the path, a NUL and the base; without a NUL there is a base of our own.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAddress(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let path = String(decoding: parts[0], as: UTF8.self)
  let base = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "https://api.example/v1/?key=1"
  do throws(NetworkError) {
    let url = try AddressJoiner.join(path) { URL(string: base) }
    check(url)
    let again = try AddressJoiner.join(url.absoluteString) { nil }
    expect(again.absoluteString == url.absoluteString, "joining again changes it")
  } catch {
    expect(error.code == .invalidURL && !error.reason.isEmpty, "another error: \(error)")
  }
  return 0
}

private func check(_ url: URL) {
  let text = url.absoluteString
  expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "is not printable ASCII")
  expect(!text.utf8.contains { "\"<>\\^`{|}#".utf8.contains($0) }, "holds what no address may")
  let lowered = text.lowercased()
  guard let slashes = lowered.firstRange(of: "://") else { return expect(false, "has no host") }
  expect(["http", "https"].contains(lowered[..<slashes.lowerBound]), "is not HTTP")
  guard let parts = URLComponents(string: text) else { return expect(false, "is no address to URLComponents") }
  expect(parts.string == text, "URLComponents changes it")
  expect(parts.user == nil && parts.password == nil && parts.fragment == nil, "has a user or a fragment")
  // What a plain reading takes for the host, up to the first slash, is what Foundation takes for it.
  let authority = text[slashes.upperBound...].prefix { $0 != "/" }
  let port = parts.port.map { _ in String(authority[authority.lastIndex(of: ":")!...]) } ?? ""
  expect(parts.encodedHost.map { $0 + port } == String(authority), "has another host")
  expect(parts.encodedHost?.isEmpty == false && parts.percentEncodedPath.hasPrefix("/"), "has no host or path")
  expect(parts.port.map { (1...65_535).contains($0) } ?? true, "has a port that is none")
}
