import Foundation
import Heliograph
import Testing

@testable import Courier

@Suite struct ProgressTests {
  private func bar(_ count: Int, of total: Int?, title: String = "image.iso", columns: Int = 80) -> String {
    ProgressBar(title, TransferProgress(.receiving, byteCount: count, totalByteCount: total)).text(columns: columns)
  }

  @Test func theBarGrows() {
    #expect(bar(0, of: 2_900_000_000).hasPrefix("image.iso  [>   "))
    #expect(bar(0, of: 2_900_000_000).hasSuffix("]    0%       0 B of 2.9 GB"))
    #expect(bar(1_460_000_000, of: 2_900_000_000).contains("=>"))
    #expect(bar(1_460_000_000, of: 2_900_000_000).hasSuffix("]   50%       1.5 of 2.9 GB"))
    #expect(bar(2_900_000_000, of: 2_900_000_000).contains("==]  100%"))
  }

  @Test func withoutATotalThereIsNoBar() {
    #expect(bar(1_200, of: nil).hasPrefix("image.iso"))
    #expect(bar(1_200, of: nil).hasSuffix("1.2 kB"))
    #expect(!bar(1_200, of: nil).contains("["))
  }

  @Test(arguments: ["image.iso", "", String(repeating: "long-name", count: 20), "你好世界你好世界你好世界.txt"])
  func theLineFitsIntoEveryTerminal(_ title: String) {
    for columns in 1...200 {
      for (count, total) in [(0, 0), (999, 1_000), (999_999_999, 1_000_000_000), (5, nil)] {
        let line = bar(count, of: total, title: title, columns: columns)
        let width = line.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 || $1 == "…" ? 1 : 2) }
        #expect(width < columns, "\(columns): \(line)")
      }
    }
  }

  @Test func figuresAreForPeople() {
    let sizes = [
      0: "0 B", 999: "999 B", 1_000: "1.0 kB", 999_949: "999.9 kB", 999_951: "1.0 MB", 34_500_000: "34.5 MB",
    ]
    for (count, text) in sizes { #expect(TransferText.bytes(count) == text) }
    let times: [(Duration, String)] = [
      (.zero, "0.0 s"), (.milliseconds(420), "0.4 s"), (.seconds(49), "49 s"), (.seconds(84), "1:24"),
      (.seconds(7_385), "2:03:05"), (.seconds(-1), "0.0 s"),
    ]
    for (time, text) in times { #expect(TransferText.time(time) == text) }
    #expect(TransferText.clock(.seconds(49)) == "0:49")
    #expect(TransferText.clock(.seconds(1_000_000)) == "days")
    #expect(TransferText.clock(.seconds(Int64.max)) == "days")
  }

  @Test func theSummaryCountsOnlyThisRunForTheRate() {
    let text = TransferText.summary("saved a", byteCount: 3_000_000, time: .seconds(2), resumedAt: 1_000_000)
    #expect(text == "saved a: 3.0 MB in 2.0 s, 1.0 MB/s, resumed at 1.0 MB")
    #expect(TransferText.summary("saved a", byteCount: 0, time: .zero) == "saved a: 0 B in 0.0 s")
  }

  @Test func notesAppearAboveTheBar() {
    let errors = Recorder(columns: 80)
    let console = Console(errors, isQuiet: false)
    console.update("bar")
    console.note("note")
    console.update("bar")
    console.endLiveLine()
    console.endLiveLine()
    #expect(errors.text == "\rbar\u{1B}[K\r\u{1B}[Knote\n\rbar\u{1B}[K\r\u{1B}[K")
  }

  @Test func withoutATerminalThereIsALineNowAndThen() {
    let errors = Recorder()
    var meter = ProgressMeter("a", on: Console(errors, isQuiet: false), every: .zero)
    meter.show(TransferProgress(.receiving, byteCount: 50, totalByteCount: 100))
    #expect(errors.text == "a: 50%, 50 of 100 B\n")
    #expect(meter.byteCount == 50)
    var rare = ProgressMeter("a", on: Console(errors, isQuiet: false), every: .seconds(600))
    rare.show(TransferProgress(.receiving, byteCount: 100, totalByteCount: 100))
    #expect(errors.lines.count == 1)
  }

  @Test func aQuietConsoleIsSilent() {
    let errors = Recorder(columns: 80)
    let console = Console(errors, isQuiet: true)
    console.update("bar")
    console.note("note")
    console.endLiveLine()
    #expect(errors.text.isEmpty)
  }
}
