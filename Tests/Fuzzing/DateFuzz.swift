import Foundation

/// Any text as a date: one that can be written and read again, and the same in any case, or none.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDate(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  let text = String(decoding: input, as: UTF8.self)
  let now = Date(timeIntervalSince1970: 1_767_225_600)
  let (strict, lenient) = (HTTPDate.parse(text, isStrict: true, now: now), HTTPDate.parse(text, now: now))
  expect(strict == nil || strict == lenient, "the formats disagree")
  // Not `uppercased()`, by which other letters become ASCII.
  let capitals = String(decoding: input.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
  expect(HTTPDate.parse(capitals, now: now) == lenient, "the case counts")
  expect(HTTPDate.parse("\t " + text + " ", isStrict: true, now: now) == strict, "whitespace counts")
  if let lenient {
    let written = HTTPDate.text(of: lenient)
    expect(written.utf8.count == 29, "another length: \(written)")
    expect(HTTPDate.parse(written, isStrict: true, now: now) == lenient, "another date: \(written)")
  }
  // Any number as a date, too.
  guard input.count >= 8 else { return 0 }
  let bits = input.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  let date = Date(timeIntervalSince1970: Double(bitPattern: bits))
  let written = HTTPDate.text(of: date)
  expect(HTTPDate.parse(written, isStrict: true, now: date) != nil, "cannot be read: \(written)")
  _ = HTTPDate.parse(text, now: date)
  let head = CachedHead(
    statusCode: 200, headers: ["Last-Modified": text, "Date": written], requestedAt: date, receivedAt: date)
  expect(head.age(at: now) >= .zero && head.lifetime >= .zero, "a negative time")
  return 0
}
