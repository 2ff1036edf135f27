import Foundation

extension Data {
  /// The bytes in pieces of one length.
  package func parts(of length: Int) -> [Data] {
    stride(from: 0, to: count, by: length).map { dropFirst($0).prefix(length) }
  }

  /// The bytes in pieces of random lengths, some of which are empty.
  package func parts(upTo length: Int, _ dice: inout ParameterDice) -> [Data] {
    var pieces: [Data] = []
    var rest = self
    while !rest.isEmpty {
      let piece = rest.prefix(dice.count(length))
      pieces.append(piece)
      rest = rest.dropFirst(piece.count)
    }
    return pieces
  }
}
