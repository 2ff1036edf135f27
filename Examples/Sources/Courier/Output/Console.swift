import Foundation
import Synchronization

/// The place for everything that is no result: notes, and one live line at the bottom of a terminal.
final class Console: Sendable {
  let isQuiet: Bool
  private let output: any Output
  private let hasLiveLine = Mutex(false)

  init(_ output: any Output, isQuiet: Bool) {
    (self.output, self.isQuiet) = (output, isQuiet)
  }

  /// The width of the terminal; `nil` if it is none.
  var columns: Int? { output.columns }

  /// Writes a line, above the live line.
  func note(_ text: String) {
    if !isQuiet { write(line: text) }
  }

  /// Writes a line above the live line, also if the console is quiet.
  func write(line: String) { write(takeLiveLine() + line + "\n") }

  /// Shows text in the live line of the terminal.
  func update(_ text: String) {
    if isQuiet { return }
    hasLiveLine.withLock { $0 = true }
    write("\r\(text)\u{1B}[K")
  }

  /// Removes the live line.
  func endLiveLine() {
    let text = takeLiveLine()
    if !text.isEmpty { write(text) }
  }

  private func takeLiveLine() -> String {
    let isShown = hasLiveLine.withLock { isShown in
      defer { isShown = false }
      return isShown
    }
    return isShown ? "\r\u{1B}[K" : ""
  }

  /// A failure of standard error cannot be reported.
  private func write(_ text: String) { try? output.write(Data(text.utf8)) }
}
