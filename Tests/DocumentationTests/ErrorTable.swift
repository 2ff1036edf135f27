import Heliograph

/// The table of the article ErrorCodes: the party at fault and the user-facing message of each code.
struct ErrorTable {
  struct Row {
    /// The index of the line.
    let line: Int
    let domain: String
    let codes: [Code]
    let party: String
    let advice: String
    let english: String
    let chinese: String
  }

  /// A code as a cell has it: `` `timedOut` -1001 `` or 404.
  struct Code: Equatable {
    let name: String?
    let number: Int
  }

  let path: String
  private(set) var rows: [Row] = []
  /// What cannot be read.
  private(set) var problems: [String] = []

  init(path: String, text: String) {
    self.path = path
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let head = lines.firstIndex(where: { $0.hasPrefix("| domain | code | party |") }) else {
      problems.append("\(path): the table of errors is not there")
      return
    }
    // Below the head there is the line of dashes.
    for index in lines.indices.dropFirst(head + 2) where lines[index].hasPrefix("|") {
      if index > head + 2, !lines[index - 1].hasPrefix("|") { break }
      let cells = lines[index].split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map(\.trimmingSpaces)
      let codes = cells.count == 6 ? ErrorTable.codes(in: cells[1]) : []
      if codes.isEmpty || cells.contains("") {
        problems.append("\(path):\(index + 1): the row cannot be read")
      } else {
        rows.append(
          Row(
            line: index, domain: cells[0], codes: codes, party: cells[2], advice: cells[3], english: cells[4],
            chinese: cells[5]))
      }
    }
  }

  func place(_ row: Row) -> String { "\(path):\(row.line + 1)" }

  /// The numbers in a cell, each with the name in front of it.
  static func codes(in cell: String) -> [Code] {
    var codes: [Code] = []
    var name: String?
    for word in cell.split(whereSeparator: { " ,;".contains($0) }) {
      if let number = Int(word) {
        codes.append(Code(name: name, number: number))
        name = nil
      } else if word.hasPrefix("`") {
        name = String(word.filter { $0 != "`" })
      }
    }
    return codes
  }
}

/// A code that the sources name.
struct NamedCode: Equatable {
  let name: String
  let number: Int
  let domain: String

  /// The codes that a source file declares.
  static func all(in text: String) -> [NamedCode] {
    text.split(separator: "\n").compactMap { line in
      // public static let name = Code(.domain, number), or with another argument
      let words = line.split(separator: " ")
      guard words.count >= 7, words.starts(with: ["public", "static", "let"]), let number = Int(words[6].dropLast())
      else { return nil }
      let call = words[5].split(separator: "(.")
      guard call.count == 2, call[0].hasSuffix("Code") else { return nil }
      return NamedCode(name: String(words[3]), number: number, domain: String(call[1].dropLast()))
    }
  }
}
