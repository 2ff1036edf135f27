import Foundation

#if os(macOS) || os(Linux)
  /// Another program that the benchmarks start.
  typealias Program = Process
#else
  /// A stand-in for Foundation's `Process`, which phones do not have: each build of the package for one includes this target.
  final class Program: Sendable {
    enum Ending {
      case exit
    }

    init() {}

    var executableURL: URL? {
      get { nil }
      set {}
    }
    var arguments: [String]? {
      get { nil }
      set {}
    }
    var standardInput: Any? {
      get { nil }
      set {}
    }
    var standardOutput: Any? {
      get { nil }
      set {}
    }
    var terminationReason: Ending { .exit }
    var terminationStatus: Int32 { -1 }

    func run() throws { throw CocoaError(.featureUnsupported) }
    func terminate() {}
    func waitUntilExit() {}
  }
#endif
