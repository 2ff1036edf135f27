import Heliograph

extension [ParameterPair] {
  /// The pairs as one line without percent-encoding.
  package var line: String {
    map { pair in pair.value.map { "\(pair.name)=\($0)" } ?? pair.name }.joined(separator: "&")
  }
}
