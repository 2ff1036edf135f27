import Foundation

/// Ends the program if it does not hold, which is how libFuzzer learns of it.
func expect(_ holds: Bool, _ message: @autoclosure () -> String) {
  if holds { return }
  FileHandle.standardError.write(Data("\(message())\n".utf8))
  abort()
}
