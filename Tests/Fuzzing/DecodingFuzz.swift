import Foundation

private enum Kind: String, Codable, DefaultValue {
  case lamp, chair, unknown
  static let defaultValue = Kind.unknown
}

private struct Item: Codable, Hashable {
  let id: Int
  var name: String?
  var price: Double?
  var at: Date?
  @Lossy var tags: [String]
  @Lossy var sizes: [String: Int8]
  @Defaulted<Kind> var kind: Kind
  @Defaulted<ZeroValue> var stock: Int
  @Defaulted<EmptyValue> var parts: [UInt]
}

private struct Page: Codable, Hashable {
  @Lossy var items: [Item]
  var first: Item?
  var any: JSON?
}

private let shape: JSONShape = ["items": [["id": .number, "tags": [.string, .number]]], "any": .any]

/// With `Double`s only: Foundation takes some large numbers with an exponent by their digits.
private func rounded(_ value: JSON) -> JSON {
  switch value {
  case .array(let elements): .array(elements.map(rounded))
  case .object(let members): .object(members.mapValues(rounded))
  default: value.double.map { .number($0) } ?? value
  }
}

/// Any bytes: a value or an error from our own reader and from Foundation's, and the same value if both have one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecoding(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let data = Data(UnsafeBufferPointer(start: start, count: count))
  let fault = JSON.fault(in: data)
  do throws(NetworkError) {
    let value = try JSON(data: data)
    expect(fault == nil, "a fault in what is JSON")
    let again = try JSON(data: Data(value.description.utf8))
    expect(again == value && again.hashValue == value.hashValue, "another value when read again")
    let pruned = value.removingNulls()
    expect(pruned.removingNulls() == pruned, "another value when pruned again")
    _ = shape.mismatch(in: value)
    _ = value["items"][0]["id"].int
    if let theirs = try? JSONDecoder().decode(JSON.self, from: data) {
      expect(rounded(theirs) == rounded(value), "Foundation reads another value")
    }
  } catch {
    expect(error.code == .malformedBody, "another error: \(error)")
    expect(error.loggedReason == fault?.locatedText, "another reason")
  }
  let collector = DecodingContext()
  let decoder = JSONDecoder()
  decoder.userInfo[.heliograph] = collector
  do {
    let page = try decoder.decode(Page.self, from: data)
    _ = try JSONEncoder().encode(page.items.count)
    expect(collector.report.entries.allSatisfy { !$0.path.isEmpty && !$0.found.isEmpty }, "an entry says nothing")
  } catch {
    _ = decoder.faultPath(of: Page.self, in: data)
  }
  return 0
}
