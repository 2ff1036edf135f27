import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// `Link` fields, as RFC 8288 §3 and appendix B.2 have them, and as servers write them.
struct WebLinkTests {
  private func links(_ values: String...) -> [WebLink] {
    HTTPHeaders(values.map { HTTPHeaders.Field(name: "link", value: $0) }).links
  }

  private func response(_ link: String, at address: String = "https://a.example/b/c?d=e") throws -> Response<Int> {
    let url = try require(URL(string: address))
    return Response(value: 0, head: HTTPResponse(statusCode: 200, headers: ["Link": link], url: url))
  }

  @Test func readsTheLinksOfAPage() {
    let found = links(#"<https://a.example/?page=2>; rel="next", <https://a.example/?page=9>; rel="last""#)
    expectEqual(found.map(\.target), ["https://a.example/?page=2", "https://a.example/?page=9"])
    expectEqual(found.map(\.relations), [["next"], ["last"]])
    expect(links().isEmpty)
    expect(links("").isEmpty)
    expect(links(" , ,").isEmpty)
  }

  @Test(arguments: [
    // Delimiters inside of targets and quoted strings.
    ("</a,b;c>; rel=next", ["/a,b;c next"]), (#"</a>; title="x, <y>; rel=no"; rel="next""#, ["/a next"]),
    (#"</a>; title="\"; rel=\"no\", "; rel=next, </b>"#, ["/a next", "/b"]),
    // Relations: several, in any case, quoted or not; only the first parameter counts (§3.3).
    (#"</a>; rel="next  LAST""#, ["/a next last"]), ("</a>; REL=Next; rel=prev", ["/a next"]),
    ("</a>;rel=next;title=x", ["/a next"]), ("</a> ; rel = next ; crossorigin", ["/a next"]),
    (#"</a>; rel="https://a.example/Own next""#, ["/a https://a.example/own next"]), ("</a>", ["/a"]),
    (#"</a>; rel="""#, ["/a"]), ("< /a >;rel=next", ["/a next"]), ("<>; rel=next", [" next"]),
    // Malformed parts are skipped.
    ("nothing, </a>; rel=next", ["/a next"]), (#""a, b" x, </a>; rel=next"#, ["/a next"]),
    ("</a b>; rel=next, </c>", ["/a b next", "/c"]), (#"</a"b>; rel=next"#, []), ("</a; rel=next", []),
    (#"</a>; rel="next, </b>; rel=last"#, ["/a", "/b last"]), ("</a>;;; =x; rel=next;", ["/a next"]),
    ("</a> junk; rel=next junk, </b>", ["/a next", "/b"]), ("</a>; \"rel\"=no; rel=next", ["/a next"]),
  ])
  func readsAny(_ value: String, _ expected: [String]) {
    let found = links(value).map { ([$0.target] + $0.relations).joined(separator: " ") }
    expectEqual(found, expected)
  }

  @Test func readsParametersAndSeveralFields() {
    let found = links(#"</a>; Title="a \"b\" \\"; title=second; title*=UTF-8''%c3%a9"#, "</b>; rel=next")
    expectEqual(found.first?.parameters, ["title": #"a "b" \"#, "title*": "UTF-8''%c3%a9"])
    expectEqual(found.last, WebLink(target: "/b", parameters: ["rel": "next"]))
    // A quotation mark without an end hides nothing in the next field.
    expectEqual(links(#"</a>; rel="x"#, "</b>").map(\.target), ["/a", "/b"])
  }

  @Test(arguments: [
    ("https://b.example/x", "https://b.example/x"), ("//b.example", "https://b.example"),
    ("/x?y", "https://a.example/x?y"), ("x", "https://a.example/b/x"), ("../x/./y", "https://a.example/x/y"),
    ("?page=2", "https://a.example/b/c?page=2"), ("", "https://a.example/b/c?d=e"),
    ("/ä?q=ü%20", "https://a.example/%C3%A4?q=%C3%BC%20"),
    // As Harbor writes it.
    ("/logs?q=operation={push pull}", "https://a.example/logs?q=operation=%7Bpush%20pull%7D"),
    // Dot segments, also of a target with a host, but not in a query or a fragment.
    ("https://b.example/x/../y", "https://b.example/y"), ("//b.example:81/x/./..", "https://b.example:81/"),
    ("https://b.example/x/../y?q=/../z#/../f", "https://b.example/y?q=/../z#/../f"),
    ("https://b.example/.well-known//x/%2e%2e", "https://b.example/.well-known//x/%2e%2e"),
  ])
  func resolvesTargets(_ target: String, _ expected: String) throws {
    let response = try response("<\(target)>; rel=next")
    expectEqual(response.links.map(\.target), [expected])
    try expectEqual(response.nextPage?.absoluteString, expected)
  }

  @Test(arguments: [
    ("</x>; rel=next; anchor=\"\"", true), ("</x>; rel=next; anchor=\"https://a.example/b/c?d=e\"", true),
    ("</x>; rel=next; anchor=\"c?d=e\"", true), ("</x>; rel=next; anchor=\"#part\"", false),
    ("</x>; rel=next; anchor=\"/other\"", false), ("</x>; rel=nexts", false), ("</x>; rev=next", false),
    ("</x>; rel=last, </y>; rel=prev, </x>; rel=NEXT", true),
  ])
  func aNextPageIsLinkedFromThePageItself(_ link: String, _ isNext: Bool) throws {
    try expectEqual(response(link).nextPage?.path, (isNext ? "/x" : nil))
  }

  /// Otherwise a list would end as if it were complete.
  @Test(arguments: ["</a\"b>; rel=next", "<https://>; rel=next", "<//>; rel=next", "</a<b>; rel=\"last next\""])
  func aMalformedLinkToTheNextPageIsAnError(_ link: String) throws {
    let response = try response(link)
    let error = try #require(throws: NetworkError.self) { _ = try response.nextPage }
    expectEqual(error.code, .invalidURL)
    try expectEqual(self.response(link + ", </x>; rel=next").nextPage?.path, "/x")
  }

  /// As in the `href` of an HTML or WebDAV document that is broken into lines.
  @Test(arguments: [("\n  /dav/x%20y.ics\n ", "https://a.example/dav/x%20y.ics"), (" \t", "https://a.example/a/b")])
  func spaceAroundATargetIsNotPartOfIt(_ target: String, _ expected: String) throws {
    let base = try require(URL(string: "https://a.example/a/b"))
    expectEqual(WebLink(target: target).url(relativeTo: base)?.absoluteString, expected)
  }

  /// An address of the app may have dot segments, which are sent as they are.
  @Test func aNextPageOfAnAddressWithDotSegments() throws {
    let url = try require(URL(string: "https://a.example/v1/../b"))
    for anchor in ["https://a.example/v1/../b", "https://a.example/b", "/b"] {
      let head = HTTPResponse(
        statusCode: 200, headers: ["Link": "</x>; rel=next; anchor=\"\(anchor)\""], url: url)
      try expectEqual(Response(value: Data(), head: head).nextPage?.path, "/x", "\(anchor)")
    }
  }

  @Test func isShownWithoutSecrets() {
    let link = WebLink(target: "https://u:p@a.example/x?token=secret", parameters: ["rel": "next", "title": "secret"])
    for text in ["\(link)", String(reflecting: link), "\(String(describing: [link]))"] {
      expect(!text.contains("secret"))
      expect(!text.contains("p@"))
      expect(text.contains("next"))
    }
    expect(Mirror(reflecting: link).children.isEmpty)
  }

  @Test func aTargetWithoutAHostIsMalformed() throws {
    let base = try require(URL(string: "https://a.example/x"))
    for target in ["//", "https://", "http:///a"] { expectNil(WebLink(target: target).url(relativeTo: base)) }
    expectEqual(WebLink(target: "//b.example").url(relativeTo: base)?.host(), "b.example")
    expectEqual(WebLink(target: "mailto:a@b.example").url(relativeTo: base)?.scheme, "mailto")
    expectEqual(WebLink(target: "mailto:a/../b").url(relativeTo: base)?.absoluteString, "mailto:a/../b")
  }
}
