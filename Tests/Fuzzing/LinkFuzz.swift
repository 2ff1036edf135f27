import Foundation

/// Any text as `Link`: sound targets, no link that another line hides, and the same links when written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLink(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  func links(_ lines: String...) -> [WebLink] {
    HTTPHeaders(lines.map { HTTPHeaders.Field(name: "Link", value: $0) }).links
  }
  let found = links(text)
  for link in found {
    expect(link.target.utf8.allSatisfy { $0 >= 0x20 && !"<>\"".utf8.contains($0) }, "an impossible target")
    let relations = link.relations
    expect(relations.allSatisfy { !$0.isEmpty && $0.loweredASCII == $0 }, "an empty relation, or not in lower case")
    expect(relations.allSatisfy { !$0.utf8.contains(UInt8(ascii: " ")) }, "two relations in one")
    expect(link.parameters.keys.allSatisfy { !$0.isEmpty && $0.loweredASCII == $0 }, "the case of a name is kept")
    expect(!link.description.contains { $0.isNewline }, "two lines")
  }
  let next = #"<https://a.example/?a,b;c>; x="\"<,;"; REL="Last NEXT""#
  expect(links(text, next).last?.relations == ["last", "next"], "a line is hidden")
  expect(links(text, next).dropLast() == found[...], "a line changes the ones before it")
  expect(links(next + "," + text) == links(next) + found, "a link changes the ones after it")
  expect(links(" ,\t" + text) == found, "an empty member counts")
  let written = found.map { link in
    // By scalars: with a combining mark, a quotation mark is another character.
    let parameters = link.parameters.map { name, value in
      "; \(name)=\"\(value.unicodeScalars.map { "\\\"".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined())\""
    }
    return "<\(link.target)>" + parameters.joined()
  }
  expect(links(written.joined(separator: ", ")) == found, "not the same when written again")
  guard let base = URL(string: "https://user.example/a/b?c=d") else { return 0 }
  let response = Response(
    value: 0,
    head: HTTPResponse(statusCode: 200, headers: HTTPHeaders([.init(name: "link", value: text)]), url: base))
  expect(response.links.allSatisfy { URL(string: $0.target)?.scheme != nil }, "a relative target")
  if let url = try? response.nextPage { expect(url.scheme != nil, "a relative next page") }
  return 0
}
