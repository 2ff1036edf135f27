import Foundation

/// A place for bytes: a stream of the process, or a recorder in tests.
protocol Output: Sendable {
  /// The width of the terminal in columns; `nil` if it is none.
  var columns: Int? { get }

  /// Writes all bytes, and blocks until they are written; a cancelled task does not wait for a slow reader.
  func write(_ data: Data) throws(Failure)
}

extension Output {
  func write(line: String) throws(Failure) { try write(Data("\(line)\n".utf8)) }
}
