import Testing

@testable import Heliograph

@Suite struct EntryNameTests {
  private let name = EntryName(
    account: 0x0123_4567, environment: 0x89AB_CDEF, service: 0, api: .max, keyHigh: 0xFEDC_BA98_7654_3210, keyLow: 0xA5)
  private let text = "0123456789abcdef00000000fffffffffedcba987654321000000000000000a5"

  @Test func aTextAndBack() {
    #expect(name.text == text)
    #expect(EntryName(text) == name)
    #expect(EntryName(text[...]) == name)
    #expect(name.shard == 0xA5)
    for number in 0..<1_000 {
      let name = EntryName.number(number, account: UInt32(number))
      #expect(EntryName(name.text) == name)
    }
  }

  @Test func othersAreInvalid() {
    #expect(EntryName("") == nil)
    #expect(EntryName(text.dropLast()) == nil)
    #expect(EntryName(text + "0") == nil)
    #expect(EntryName(text.uppercased()) == nil)
    #expect(EntryName(text.dropLast() + "g") == nil)
    #expect(EntryName(text.dropLast() + "é") == nil)
    #expect(EntryName("+" + text.dropFirst()) == nil)
  }

  @Test func temporaryFilesTellTheirEntryAndProcess() throws {
    let temporary = TemporaryName(for: name)
    #expect(temporary.isOwn && !temporary.isOfDeadProcess)
    #expect(TemporaryName(for: name).text != temporary.text)
    let read = try #require(TemporaryName(temporary.text))
    #expect(read.entry == name && read.isOwn && !read.isOfDeadProcess)
    // The same process number, as it comes again in containers and after a restart.
    let parts = temporary.text.split(separator: ".")
    let former = try #require(TemporaryName("\(parts[0]).\(parts[1]).1f.1"))
    #expect(!former.isOwn && former.isOfDeadProcess)
    // The first process of a system is always there.
    #expect(try !#require(TemporaryName("\(parts[0]).1.1f.1")).isOfDeadProcess)
    #expect(try #require(TemporaryName("\(parts[0]).2147483646.1f.1")).isOfDeadProcess)
  }

  @Test(arguments: ["", "a", "....", "x.1.1.1"]) func otherFilesAreNotTemporary(_ text: String) {
    #expect(TemporaryName(text) == nil)
    #expect(TemporaryName(self.text + text) == nil)
    #expect(TemporaryName(self.text + ".1.zz.1" + text) == nil)
  }
}
