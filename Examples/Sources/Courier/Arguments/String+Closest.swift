extension String {
  /// Returns the most similar candidate, for a typing error; `nil` if none is similar.
  func closest(among candidates: [String]) -> String? {
    if isEmpty { return nil }
    if count > 1, let whole = candidates.first(where: { $0.hasPrefix(self) }) { return whole }
    // Letters that have changed places, as in gte.
    if let swapped = candidates.first(where: { $0.sorted() == sorted() }) { return swapped }
    let best = candidates.map { (name: $0, distance: distance(to: $0)) }.min { $0.distance < $1.distance }
    return best.flatMap { $0.distance <= max(1, count / 3) ? $0.name : nil }
  }

  /// The number of characters to insert, remove or replace.
  private func distance(to other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (index, character) in enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (character == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[other.count]
  }
}
