import Foundation

/// Any text as `Cache-Control`: the same directives in any case, and none that another one's quotation marks hide.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzControl(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  func control(_ lines: String...) -> CacheControl {
    CacheControl(HTTPHeaders(lines.map { HTTPHeaders.Field(name: "Cache-Control", value: $0) }))
  }
  let found = control(text)
  for age in [found.maxAge, found.minFresh, found.staleIfError, found.staleWhileRevalidate] {
    if case .seconds(let seconds) = age { expect((0...2_147_483_647).contains(seconds), "an age out of range") }
  }
  expect(found.noCacheFields.allSatisfy { !$0.isEmpty && $0.loweredASCII == $0 }, "an empty name, or not in lower case")
  expect(control(text.loweredASCII) == found, "the case counts")
  expect(control(" ,\t" + text + " ,, ") == found, "empty members count")
  expect(control("x=\"no-store, max-age=1\"", text) == found, "an unknown directive counts")
  expect(control("x=\"no-store, max-age=1\"," + text) == found, "an unknown directive in the same line counts")
  expect(control("max-age=7", text).maxAge == .seconds(7), "the first one does not count")
  expect(control("max-age=7," + text).maxAge == .seconds(7), "the first one in the same line does not count")
  expect(control(text, "no-store, no-cache").noStore, "a line is hidden")
  expect(control(text + ",no-store").noStore, "a directive is hidden")
  if !text.utf8.contains(UInt8(ascii: "\"")) {
    let lines = text.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
    let split = CacheControl(HTTPHeaders(lines.map { HTTPHeaders.Field(name: "cache-control", value: $0) }))
    expect(split == found, "lines are not a list")
  }
  checkUse(of: text)
  return 0
}

/// Any directives of a response and, after a NUL, of a request: forbidden use never happens.
private func checkUse(of text: String) {
  let parts = text.utf8.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    .map { String(Substring($0)) }
  let time = Date(timeIntervalSince1970: 1_767_225_600)
  let response: HTTPHeaders = ["Cache-Control": parts[0], "ETag": "\"a\""]
  let request: HTTPHeaders = parts.count > 1 ? ["Cache-Control": parts[1]] : [:]
  let head = CachedHead(statusCode: 200, headers: response, requestedAt: time, receivedAt: time)
  let (control, requested) = (head.cacheControl, CacheControl(request))
  let refusal = Storability.refusal(of: .get, requestHeaders: request, response: head)
  let isForbidden = requested.noStore || (control.noStore && !control.mustUnderstand)
  expect(isForbidden == (refusal != nil), "stored or not: \(String(describing: refusal))")
  for seconds in [-1.0, 0, 1, 60, 1e9] {
    let use = head.reuse(for: request, at: time + seconds)
    let onError = head.allowsStale(at: time + seconds, for: request)
    // The cache passes such a request by.
    if requested.noStore {
      expect(!onError, "used after an error")
      continue
    }
    switch use {
    case .validate(let isUsable): expect(isUsable == onError, "two answers about errors")
    case .fresh, .staleAllowed, .staleWhileRevalidate:
      expect(!control.noCache && !requested.noCache, "used without validation")
      expect(use == .fresh || !control.mustRevalidate, "used when stale")
    }
    if control.noCache { expect(!onError, "used after an error") }
  }
}
