import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct PercentEncodingTests {
  private let pairs = [
    ParameterPair("a b", "1+1=2&c%"), ParameterPair("t[]", "*-._~"), ParameterPair("é😀", ""),
    ParameterPair("alone", nil),
  ]

  @Test func queryKeepsOnlyWhatIsUnreserved() {
    expectEqual(PercentEncoding.query.encode(pairs), "a%20b=1%2B1%3D2%26c%25&t%5B%5D=%2A-._~&%C3%A9%F0%9F%98%80=&alone")
  }

  @Test func formWritesAsTheURLStandardSays() {
    expectEqual(PercentEncoding.form.encode(pairs), "a+b=1%2B1%3D2%26c%25&t%5B%5D=*-._%7E&%C3%A9%F0%9F%98%80=&alone")
  }

  @Test func everyByteIsKeptOrEscaped() {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    for byte in UInt8(0)..<0x80 {
      let text = String(UnicodeScalar(byte))
      let escaped = "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      expectEqual(PercentEncoding.query.encode(text), ((letters + "-._~").contains(text) ? text : escaped))
      let form = byte == 0x20 ? "+" : (letters + "*-._").contains(text) ? text : escaped
      expectEqual(PercentEncoding.form.encode(text), form)
    }
  }

  @Test func nothingIsWrittenForNothing() {
    expectEqual(PercentEncoding.query.encode([ParameterPair]()), "")
    expectEqual(PercentEncoding.form.bytes([ParameterPair]()), [])
    expectEqual(PercentEncoding.form.encode([ParameterPair("", "")]), "=")
    expectEqual(PercentEncoding.query.encode(""), "")
  }

  @Test func stringsThatAreNotNativeAreTheSame() {
    let slice = "xx a+b é xx".dropFirst(2).dropLast(2)
    expectEqual(PercentEncoding.query.encode(String(slice)), "%20a%2Bb%20%C3%A9%20")
    let bridged = NSString(string: "ü +").appending("😀")
    expectEqual(PercentEncoding.form.encode(bridged), "%C3%BC+%2B%F0%9F%98%80")
  }

  @Test func longStringsAreWritten() throws {
    let count = Scale.isMedium ? 200_000 : 20_000
    let plain = String(repeating: "lamp", count: 12 * count)
    let odd = String(repeating: "& é\n\"", count: count)
    let parameters: Parameters = ["plain": plain, "odd": odd]
    let pairs = try ParameterRules().pairs(parameters)
    for encoding in [PercentEncoding.query, .form] {
      let bytes = encoding.bytes(pairs)
      expect(bytes.count > 60 * count)
      expect(bytes.prefix(10).elementsEqual("plain=lamp".utf8))
    }
    let decoded = try JSONDecoder().decode([String: String].self, from: ParameterRules().json(parameters))
    expectEqual(decoded["plain"]?.utf8.elementsEqual(plain.utf8), true)
    expectEqual(decoded["odd"]?.utf8.elementsEqual(odd.utf8), true)
  }
}
