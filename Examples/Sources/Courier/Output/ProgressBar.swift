import Heliograph

/// One line of progress: `image.iso  [=====>     ]  42%  1.2 of 2.9 GB  34.5 MB/s  0:49 left`.
struct ProgressBar {
  private let title: String
  private let progress: TransferProgress

  init(_ title: String, _ progress: TransferProgress) {
    (self.title, self.progress) = (title, progress)
  }

  /// Returns the line; the last column stays free, so that no terminal breaks the line.
  func text(columns: Int) -> String {
    let figures = TransferText.parts(of: progress)
    // Columns that do not move while the figures change; the first one is the fraction.
    let widths = progress.totalByteCount == nil ? [8, 10, 12] : [4, 18, 10, 12]
    var right = ""
    for (figure, width) in zip(figures, widths) { right += "  " + figure.padded(to: width) }
    // Room for all figures from the start, so that the bar keeps its width.
    let whole = widths.reduce(0) { $0 + $1 + 2 }
    let room = columns - 1 - (columns > whole + 20 ? max(whole, right.count) : right.count)
    guard room >= 8 else { return String(right.trimmed.prefix(max(0, columns - 1))) }
    let name = title.shortened(toColumns: min(max(room / 2 - 1, 8), 32))
    let barWidth = min(room - name.columnCount - 4, 40)
    guard let fraction = progress.fractionCompleted, barWidth >= 8 else { return name + right }
    let count = Int(fraction * Double(barWidth))
    let bar = String(repeating: "=", count: count) + (count < barWidth ? ">" : "")
    return "\(name)  [\(bar.padding(to: barWidth))]\(right)"
  }
}

extension String {
  /// The text with blanks before it.
  fileprivate func padded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

  /// The text with blanks after it.
  fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  fileprivate var trimmed: Substring { drop { $0 == " " } }

  /// The width on a terminal, on which East Asian characters take two columns.
  fileprivate var columnCount: Int { unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) } }

  fileprivate func shortened(toColumns limit: Int) -> String {
    if columnCount <= limit { return self }
    var text = self
    while text.columnCount > limit - 1, !text.isEmpty { text.removeLast() }
    return text + "…"
  }
}
