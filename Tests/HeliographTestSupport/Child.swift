import Foundation
import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program that a test runs, with no descriptors but the three that it is given.
///
/// Foundation's `Process` looks for open descriptors when it starts one, and in Swift 6.3 on Linux that reads beyond a
/// buffer: with a thousand of them open it crashes now and then.
package struct Child {
  private let number: pid_t

  /// Starts it.
  ///
  /// - Parameters:
  ///   - program: its file.
  ///   - arguments: what it is given.
  ///   - input: where it reads from. Default: nothing is there.
  ///   - output: where it writes to. Default: that is thrown away.
  ///   - errors: where it writes its errors to. Default: they are thrown away.
  /// - Throws: when it cannot be started.
  package init(
    _ program: String, _ arguments: [String], input: FileHandle? = nil, output: FileHandle? = nil,
    errors: FileHandle? = nil
  ) throws {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (handle, target) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      if let handle {
        posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, target)
      } else {
        posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
      }
    }
    // The thread that starts it may block signals, and it would inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    #if canImport(Darwin)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT))
    #else
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    #endif
    #if canImport(Glibc)
    // Swift's module for Glibc lacks it, and the library before 2.34.
    if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
      typealias Close = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
      _ = unsafeBitCast(symbol, to: Close.self)(&actions, 3)
    }
    #endif
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var number: pid_t = 0
    let status = posix_spawn(&number, program, &actions, &attributes, &words, environ)
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .ENOENT) }
    self.number = number
  }

  /// Whether there is the program of ``probe(_:environment:input:output:errors:)``.
  ///
  /// On a desktop it is built with the tests, so that a search that fails there fails the tests; elsewhere it may be
  /// missing.
  package static var hasProbe: Bool {
    #if os(macOS) || os(Linux)
    true
    #else
    probeFile != nil
    #endif
  }

  private static var probeFile: String? {
    #if canImport(Darwin)
    let bundles = Bundle.allBundles.map(\.bundlePath)
    #else
    // The tests are in the program; and Foundation in Debian's Swift 6.2 crashes if it is asked for its bundles.
    let bundles: [String] = []
    #endif
    var folder = URL(fileURLWithPath: testBundle(among: bundles, arguments: CommandLine.arguments))
    repeat {
      folder.deleteLastPathComponent()
      let file = folder.appendingPathComponent("ProcessProbe").path
      if FileManager.default.isExecutableFile(atPath: file) { return file }
    } while folder.path != "/"
    return nil
  }

  /// Where the tests are: on Apple's systems in a bundle that a program of the toolchain loads, otherwise in the program.
  ///
  /// - Parameters:
  ///   - bundles: the paths of the bundles that are loaded.
  ///   - arguments: the arguments of the process.
  /// - Returns: the path of the bundle, or of the program in it.
  package static func testBundle(among bundles: [String], arguments: [String]) -> String {
    if let index = arguments.firstIndex(of: "--test-bundle-path"), index + 1 < arguments.count {
      return arguments[index + 1]
    }
    return bundles.first { $0.hasSuffix(".xctest") } ?? arguments.first ?? "/"
  }

  /// The program of this package that runs a task in a process of its own.
  package static func probe(
    _ arguments: [String], environment: [String] = [], input: FileHandle? = nil, output: FileHandle? = nil,
    errors: FileHandle? = nil
  ) throws -> Child {
    // Beside the tests' own program, or beside the bundle that it is in.
    guard let file = probeFile else { throw POSIXError(.ENOENT) }
    let words = environment + [file] + arguments
    return try Child("/usr/bin/env", words, input: input, output: output, errors: errors)
  }

  /// Waits for its end; once.
  ///
  /// - Returns: its status, or -1 if a signal has ended it.
  @discardableResult
  // blocks: a thread of its own.
  package func wait() async -> Int32 { await onThread { self.waitBlocking() } }

  /// Waits for its end on this thread; once.
  @discardableResult
  // blocks: those who ask for it say why.
  package func waitBlocking() -> Int32 {
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
  }

  /// Ends it at once, as the system does when memory is short.
  package func end() { _ = kill(number, SIGKILL) }
}

extension Pipe {
  /// Reads everything up to the end, on a thread of its own.
  package func readToEnd() async throws -> Data {
    let file = fileHandleForReading
    return try await onThread { try file.readToEnd() ?? Data() }
  }
}
