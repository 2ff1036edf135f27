import Foundation

/// Any parts: what is written can be read again, with the names escaped and the content as it was.
///
/// The input is a list of strings, each behind a byte with its length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var rest = UnsafeBufferPointer(start: start, count: count)[...]
  func take() -> Data {
    guard let length = rest.popFirst() else { return Data() }
    let taken = rest.prefix(Int(length))
    rest = rest.dropFirst(taken.count)
    return Data(taken)
  }
  func text() -> String { String(decoding: take(), as: UTF8.self) }
  var upload = Multipart()
  let kind = rest.popFirst() ?? 0
  if kind & 1 != 0 { upload.boundary = text() }
  var contents: [Data] = []
  while !rest.isEmpty {
    let (name, content) = (text(), take())
    switch content.count % 3 {
    case 0: upload.append(.data(name, content, fileName: text()))
    case 1: upload.append(.data(name, content, contentType: text()))
    default: upload.append(.data(name, content))
    }
    contents.append(content)
  }
  do throws(NetworkError) {
    let (body, contentType) = try upload.body()
    guard case .data(let data) = body else {
      expect(false, "is not in memory")
      return 0
    }
    guard let parts = MultipartReader.parts(of: data, contentType: contentType) else {
      expect(contents.isEmpty, "cannot be read")
      return 0
    }
    expect(parts.map(\.content) == contents, "other contents")
    let isSound = parts.allSatisfy { part in
      part.disposition?.utf8.starts(with: "form-data; name=\"".utf8) == true && part.fields.count <= 2
        && part.fields.values.allSatisfy { !$0.utf8.contains(0) }
    }
    expect(isSound, "other fields: \(parts.map(\.fields))")
    let again = try upload.body()
    expect(again.body == body && again.contentType == contentType, "the same parts gave other bytes")
  } catch {
    expect(error.domain == .client && [.invalidHeader, .invalidBody].contains(error.code), "another error: \(error)")
  }
  return 0
}
