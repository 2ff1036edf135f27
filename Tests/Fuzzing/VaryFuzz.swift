import Foundation

/// Any `Vary` and any value of the fields that it names: equivalent requests have equal values.
///
/// The input is the value of the request's fields, a NUL and `Vary`; without a NUL, `Vary` has fields of our own.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVary(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let value = String(decoding: parts[0], as: UTF8.self)
  let names = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "Accept, X, accept-language, x"
  guard let vary = VaryFields(response: ["Vary": names]) else {
    let members = names.split(separator: ",").map { String($0).trimmedField }.filter { !$0.isEmpty }
    expect(members.contains { $0 == "*" || !$0.isHTTPToken } || members.count > 64, "matches nothing")
    return 0
  }
  expect(vary.names == Array(Set(vary.names)).sorted(), "not sorted, or not unique")
  expect(vary.names.allSatisfy { !$0.isEmpty && $0.loweredASCII == $0 }, "a name is empty or not in lower case")
  expect(VaryFields(response: ["Vary": names.loweredASCII]) == vary, "the case of names counts")
  expect(VaryFields(response: ["vary": " ," + names, "Vary": "\t,"]) == vary, "empty members count")
  func values(_ value: String) -> [String] {
    vary.values(in: HTTPHeaders(vary.names.map { HTTPHeaders.Field(name: $0, value: value) }))
  }
  let found = values(value)
  expect(found.count == vary.names.count, "another number of values")
  expect(found.allSatisfy { $0.utf8.first == UInt8(ascii: "=") }, "a field is missing")
  expect(vary.values(in: [:]).allSatisfy(\.isEmpty), "a field is there")
  expect(values("\t" + value + " ,") == found, "whitespace counts")
  // What an unclosed quotation mark hides depends on the order.
  if value.utf8.contains(UInt8(ascii: "\"")) { return 0 }
  for (name, normal) in zip(vary.names, found) {
    let field = HTTPHeaders.Field(name: name, value: String(decoding: normal.utf8.dropFirst(), as: UTF8.self))
    let again = VaryFields(response: ["Vary": name])?.values(in: HTTPHeaders([field]))
    expect(again == [normal], "another value when normalized again: \(normal)")
  }
  let lines = value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
  let fields = vary.names.flatMap { name in
    lines.map { HTTPHeaders.Field(name: name, value: String(decoding: $0, as: UTF8.self)) }
  }
  expect(vary.values(in: HTTPHeaders(fields)) == found, "lines are not a list")
  return 0
}
