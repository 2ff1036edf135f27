import Foundation
import Heliograph
import TestSupport
import Testing

/// W3C Trace Context, section 3: the cases of the specification's own tests.
struct TraceContextTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"
  private static let parent = "00-\(trace)-\(span)-01"

  @Test func aContextIsReadAndWritten() throws {
    let context = try require(TraceContext(traceparent: Self.parent, tracestate: "rojo=00f067aa0ba902b7,congo=t61"))
    expectEqual(context.traceID, Self.trace)
    expectEqual(context.spanID, Self.span)
    expect(context.isSampled)
    expectEqual(context.traceparent, Self.parent)
    expectEqual(context.tracestate, "rojo=00f067aa0ba902b7,congo=t61")
    expectEqual("\(context)", Self.parent)
  }

  @Test(arguments: [
    ("00", "00", false), ("01", "01", true), ("02", "02", false), ("03", "03", true), ("ff", "03", true),
    ("fc", "00", false),
  ])
  func unknownFlagsAreDropped(_ received: String, _ sent: String, _ isSampled: Bool) throws {
    let context = try require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-\(received)"))
    expectEqual(context.traceparent, "00-\(Self.trace)-\(Self.span)-\(sent)")
    expectEqual(context.isSampled, isSampled)
  }

  @Test(arguments: ["cc-\(trace)-\(span)-01", "cc-\(trace)-\(span)-01-what-the-future-adds"])
  func aLaterVersionIsReadAsThisOne(_ text: String) {
    expectEqual(TraceContext(traceparent: text)?.traceparent, Self.parent)
  }

  @Test(arguments: [
    "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-0", "00-\(trace)-\(span)-001", "00-\(trace)-\(span)-01-",
    "00-\(trace)-\(span)-01-more", "cc-\(trace)-\(span)-01.more", "cc-\(trace)-\(span)-0", "ff-\(trace)-\(span)-01",
    ".0-\(trace)-\(span)-01", "0.-\(trace)-\(span)-01", "000-\(trace)-\(span)-01", "0-\(trace)-\(span)-01",
    "0A-\(trace)-\(span)-01", "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01",
    "00-\(trace)-\(span)-0X", "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
    "00-.\(trace.dropFirst())-\(span)-01", "00-\(trace)-.\(span.dropFirst())-01", "00-\(trace)0-\(span)-01",
    "00-\(trace)-\(span)0-01", "00_\(trace)-\(span)-01", "00-\(trace)_\(span)-01", "00-\(trace)-\(span)_01",
    " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01 ", "00-\(trace)-\(span)-é",
  ])
  func aMalformedParentIsNone(_ text: String) {
    expectNil(TraceContext(traceparent: text, tracestate: "foo=1"))
  }

  @Test(arguments: [
    ("foo=1,bar=2", "foo=1,bar=2"), ("foo=1 \t , \t bar=2", "foo=1,bar=2"), ("foo=1,,bar=2,", "foo=1,bar=2"), ("", ""),
    (" ", ""), (",", ""), ("foo=1,foo=2", "foo=1,foo=2"), ("foo= 1 2 ", "foo= 1 2"), ("0a-_*/@b=x", "0a-_*/@b=x"),
    ("t@vendor=1", "t@vendor=1"), ("a=!\"#$%&'()*+-./:;<>?@[\\]^_`{|}~", "a=!\"#$%&'()*+-./:;<>?@[\\]^_`{|}~"),
  ])
  func aStateIsReadAsAList(_ received: String, _ sent: String) {
    expectEqual(TraceContext(traceparent: Self.parent, tracestate: received)?.tracestate, sent)
  }

  @Test(arguments: [
    "foo", "foo=", "=1", "foo =1", "FOO=1", "foo.bar=1", "@v=1", "foo=1=2", "foo=bar=", "foo=é", "foo=\u{7F}",
    "foo=1;=",
    "é=1", "foo=1\u{0}",
  ])
  func aMalformedStateIsDroppedAlone(_ text: String) {
    let context = TraceContext(traceparent: Self.parent, tracestate: "bar=2,\(text)")
    expectEqual(context?.tracestate, "")
    expectEqual(context?.traceparent, Self.parent)
  }

  @Test func aStateHasAtMost32EntriesOf256BytesEach() {
    func state(_ count: Int) -> String { (0..<count).map { "k\($0)=1" }.joined(separator: ",") }
    func read(_ text: String) -> String? { TraceContext(traceparent: Self.parent, tracestate: text)?.tracestate }
    expectEqual(read(state(32)), state(32))
    expectEqual(read(state(33)), "")
    let (key, value) = (String(repeating: "k", count: 256), String(repeating: "v", count: 256))
    expectEqual(read("\(key)=\(value)"), "\(key)=\(value)")
    expectEqual(read("k\(key)=1"), "")
    expectEqual(read("k=1\(value)"), "")
  }

  @Test func idsAreRandom() {
    let contexts = (0..<1_000).map { _ in TraceContext() }
    expectEqual(Set(contexts.map(\.traceID)).count, 1_000)
    expectEqual(Set(contexts.map(\.spanID)).count, 1_000)
    expect(contexts.allSatisfy { TraceContext(traceparent: $0.traceparent) == $0 })
    expectEqual(Set(contexts.map { $0.traceparent.suffix(3) }), ["-03"])
    expect(!TraceContext(isSampled: false).isSampled)
    expectEqual(TraceContext(isSampled: false).traceparent.suffix(3), "-02")
  }

  @Test func aChildIsInTheSameTrace() throws {
    let context = try require(TraceContext(traceparent: Self.parent, tracestate: "foo=1"))
    let child = context.child()
    expectEqual(child.traceID, Self.trace)
    expect(child.spanID != Self.span)
    expectEqual(child.tracestate, "foo=1")
    expectEqual(child.isSampled, true)
    expect(child != context)
  }

  @Test func theTraceOfARequestIsThatOfItsCopies() throws {
    let request = HTTPRequest(url: try require(URL(string: "https://a.example/")))
    var copy = request
    copy.method = .put
    let contexts = [TraceContext(of: request), TraceContext(of: copy)]
    expectEqual(contexts[0].traceID, contexts[1].traceID)
    expect(contexts[0].spanID != contexts[1].spanID)
    let others = (0..<1_000).map { _ in TraceContext(of: HTTPRequest(url: request.url)).traceID }
    expectEqual(Set(others + [contexts[0].traceID]).count, 1_001)
  }

  @Test func aRequestHasTheContextOfItsFields() throws {
    var request = HTTPRequest(url: try require(URL(string: "https://a.example/")))
    expectNil(request.traceContext)
    request.headers = ["TraceParent": Self.parent, "tracestate": "foo=1"]
    request.headers.add("bar=2", for: "tracestate")
    expectEqual(request.traceContext, TraceContext(traceparent: Self.parent, tracestate: "foo=1,bar=2"))
    request.headers.add(Self.parent, for: "traceparent")
    expectNil(request.traceContext)
  }
}
