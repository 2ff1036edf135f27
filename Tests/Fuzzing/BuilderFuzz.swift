import Foundation

/// Any path, query, header field and body: a request that may go out as it is, or a `client` error.
///
/// The input is a list of strings, each behind a byte with its length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBuilder(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var rest = UnsafeBufferPointer(start: start, count: count)[...]
  func text() -> String {
    guard let length = rest.popFirst() else { return "" }
    let taken = rest.prefix(Int(length))
    rest = rest.dropFirst(taken.count)
    return String(decoding: taken, as: UTF8.self)
  }
  let builder = RequestBuilder(baseURL: URL(string: "https://api.example/v1?key=1"), headers: ["Accept": "*/*"])
  var request = Request(HTTPMethod(rawValue: text()), RequestPath(text()))
  request.query = Parameters(ParameterObject([(text(), .string(text()))]))
  request.headers.add(text(), for: text())
  request.body = .data(Data(text().utf8), contentType: text())
  do throws(NetworkError) {
    let built = try builder.build(request)
    expect(built.url.absoluteString.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "is not printable ASCII")
    for field in built.headers {
      expect(!field.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a field holds CR, LF or NUL")
    }
    expect(try builder.build(request) == built, "the same request gave another one")
  } catch {
    expect(error.domain == .client, "another error: \(error)")
  }
  return 0
}
