import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct EntryNameTests {
  private let name = EntryName(
    account: 0x0123_4567, environment: 0x89AB_CDEF, service: 0, api: .max, keyHigh: 0xFEDC_BA98_7654_3210, keyLow: 0xA5)
  private let text = "0123456789abcdef00000000fffffffffedcba987654321000000000000000a5"

  @Test func aTextAndBack() {
    expectEqual(name.text, text)
    expectEqual(EntryName(text), name)
    expectEqual(EntryName(text[...]), name)
    expectEqual(name.shard, 0xA5)
    for number in 0..<1_000 {
      let name = EntryName.number(number, account: UInt32(number))
      expectEqual(EntryName(name.text), name)
    }
  }

  @Test func othersAreInvalid() {
    expectNil(EntryName(""))
    expectNil(EntryName(text.dropLast()))
    expectNil(EntryName(text + "0"))
    expectNil(EntryName(text.uppercased()))
    expectNil(EntryName(text.dropLast() + "g"))
    expectNil(EntryName(text.dropLast() + "é"))
    expectNil(EntryName("+" + text.dropFirst()))
  }

  @Test func temporaryFilesTellTheirEntryAndProcess() throws {
    let temporary = TemporaryName(for: name)
    expect(temporary.isOwn)
    expect(TemporaryName(for: name).text != temporary.text)
    let read = try require(TemporaryName(temporary.text))
    expectEqual(read.entry, name)
    expect(read.isOwn)
    // The same process number, as it comes again in containers and after a restart.
    let parts = temporary.text.split(separator: ".")
    let former = try require(TemporaryName("\(parts[0]).\(parts[1]).1f.1"))
    expect(!former.isOwn)
  }

  @Test(arguments: ["", "a", "....", "x.1.1.1"]) func otherFilesAreNotTemporary(_ text: String) {
    expectNil(TemporaryName(text))
    expectNil(TemporaryName(self.text + text))
    expectNil(TemporaryName(self.text + ".1.zz.1" + text))
  }
}
