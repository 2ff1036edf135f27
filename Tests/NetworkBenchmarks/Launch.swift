import Foundation
import Signals

/// Runs a program that prints one line of figures.
enum Launch {
  /// Longer than anything takes that works; then it is stopped.
  private static let patience = 180

  /// What the program measured.
  ///
  /// - Returns: `nil` if it failed; standard error says why.
  static func run(_ program: URL, _ arguments: [String]) -> Sample? {
    let process = Program()
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    do { try process.run() } catch {
      note("\(program.path): \(error)\n")
      return nil
    }
    let stop = DispatchScheduler.global.schedule(after: .seconds(patience)) {
      note("not done within \(patience) s\n")
      process.terminate()
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    stop.dispose()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { return nil }
    return sample(data)
  }

  /// A line of JSON as a sample; names that are not known are left out.
  static func sample(_ data: Data) -> Sample? {
    guard let numbers = try? JSONDecoder().decode([String: Double].self, from: data) else { return nil }
    return numbers.reduce(into: [:]) { sample, number in
      if let figure = Figure(rawValue: number.key) { sample[figure] = number.value }
    }
  }

  /// The line that `sample(_:)` reads.
  static func line(_ sample: Sample) -> String {
    let numbers = Dictionary(uniqueKeysWithValues: sample.map { ($0.key.rawValue, $0.value) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: (try? encoder.encode(numbers)) ?? Data(), as: UTF8.self)
  }
}
