import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The built program, with its signals, its terminal and its exit codes.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ProcessTests {
  private let trial: Trial

  init() throws { trial = try Trial() }

  /// Runs a shell command in the folder, with the program as `$courier`.
  private func start(_ script: String) throws -> (process: Process, output: Pipe) {
    // Beside the tests' own program, or beside the bundle that it is in; on a Mac another program loads the bundle.
    let arguments = CommandLine.arguments
    let named = arguments.firstIndex(of: "--test-bundle-path").flatMap { arguments.dropFirst($0 + 1).first }
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath
    var folder = URL(fileURLWithPath: named ?? bundle ?? arguments[0]).deletingLastPathComponent()
    while folder.path != "/", !FileManager.default.isExecutableFile(atPath: folder.path + "/courier") {
      folder.deleteLastPathComponent()
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.currentDirectoryURL = trial.folder
    process.environment = [
      "courier": folder.path + "/courier", "url": trial.server.baseURL.absoluteString,
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return (process, pipe)
  }

  private func run(_ script: String) async throws -> (code: Int32, text: String) {
    let (process, output) = try start(script)
    let data = await Trial.blocking { output.fileHandleForReading.readDataToEndOfFile() }
    return (await end(of: process), String(decoding: data, as: UTF8.self))
  }

  private func end(of process: Process) async -> Int32 {
    await Trial.blocking {
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  @Test func theProgramHasHelpAndCodes() async throws {
    let (code, text) = try await run("\"$courier\" --help | head -1; \"$courier\" get 2>/dev/null; echo $?")
    #expect(code == 0)
    #expect(text == "courier: downloads that continue, uploads, and live streams over HTTP\n2\n")
  }

  @Test func bytesGoThroughPipes() async throws {
    trial.server.serve(Trial.bytes(3_000_000), at: "/a")
    let (_, text) = try await run("\"$courier\" get $url/a -o - | wc -c")
    #expect(text.trimmingCharacters(in: .whitespacesAndNewlines) == "3000000")
  }

  @Test func aClosedPipeEndsTheProgram() async throws {
    trial.server.serve(Trial.bytes(3_000_000), at: "/a")
    let (code, text) = try await run(
      "{ \"$courier\" get $url/a -o -; echo $? >code; } | head -c 5 >/dev/null; cat code")
    #expect(code == 0)
    #expect(text == "23\n")
  }

  /// One pipe is open, but nothing is read from it or written to it; no other process opens the other one.
  @Test(arguments: ["get $url/a -o - >&3", "get $url/a -o q", "post $url/b -d @- <&3", "post $url/b --json @p"])
  func theTotalTimeoutEndsACommandThatIsBlocked(_ words: String) async throws {
    trial.server.serve(Trial.bytes(3_000_000), at: "/a")
    let (_, text) = try await run("mkfifo p q; exec 3<>p; \"$courier\" \(words) --total-timeout 0.2; echo $?")
    #expect(text == "courier: total timeout exceeded: allow more time, or try again\n28\n")
  }

  @Test func aSignalEndsACommandThatIsBlocked() async throws {
    trial.server.serve(Trial.bytes(3_000_000), at: "/a")
    let (process, _) = try start("mkfifo p; exec 3<>p; exec \"$courier\" get $url/a -o - >&3")
    // More than a pipe holds.
    #expect(await trial.server.wait { $0.connections.contains { $0.sentByteCount > 100_000 } })
    var entry = pollfd(fd: open(trial.path("p"), O_RDWR), events: Int16(POLLOUT), revents: 0)
    // The pipe has room.
    while poll(&entry, 1, 0) > 0 { try await Task.sleep(for: .milliseconds(5)) }
    close(entry.fd)
    process.terminate()
    #expect(await end(of: process) == 143)
  }

  @Test func aPipeIsADestination() async throws {
    trial.server.serve(Trial.bytes(3_000_000), at: "/a")
    let (_, text) = try await run("mkfifo p; \"$courier\" get $url/a -o p & wc -c <p")
    #expect(text.trimmingCharacters(in: .whitespacesAndNewlines) == "3000000")
  }

  @Test func aPipeIsABody() async throws {
    trial.server.route("POST", "/b") { .text($0.bodyText) }
    let (_, text) = try await run("mkfifo p; printf hello >p & \"$courier\" post $url/b -d @p")
    #expect(text == "hello")
  }

  @Test func controlCAfterTheCommandKeepsItsCode() async throws {
    let (process, output) = try start("exec \"$courier\" get $url/missing -o - --inspect")
    let hint = "Ctrl-C ends the inspector\n"
    let text = await Trial.blocking {
      var text = ""
      while !text.hasSuffix(hint), case let data = output.fileHandleForReading.availableData, !data.isEmpty {
        text += String(decoding: data, as: UTF8.self)
      }
      return text
    }
    #expect(text.hasSuffix(hint))
    process.interrupt()
    #expect(await end(of: process) == 22)
  }

  @Test func controlCKeepsThePart() async throws {
    trial.server.serve(Trial.bytes(3_000_000), at: "/a", firstByteCount: 2_000_000, holds: true)
    let (process, _) = try start("exec \"$courier\" get $url/a")
    #expect(await trial.server.wait { $0.connections.contains { $0.sentByteCount > 2_000_000 } })
    // The handler of the signal was there before the request.
    process.interrupt()
    #expect(await end(of: process) == 130)
    let (code, text) = try await run("\"$courier\" get $url/a")
    #expect(code == 0)
    #expect(text.hasPrefix("saved a: 3.0 MB"))
    #expect(trial.content("a") == Trial.bytes(3_000_000))
  }

  @Test func aKilledProgramIsContinued() async throws {
    trial.server.serve(Trial.bytes(3_000_000), at: "/a", firstByteCount: 2_000_000, holds: true)
    let (process, _) = try start("exec \"$courier\" get $url/a")
    #expect(await trial.server.wait { $0.connections.contains { $0.sentByteCount > 2_000_000 } })
    kill(process.processIdentifier, SIGKILL)
    _ = await end(of: process)
    #expect(try await run("\"$courier\" get $url/a -q").code == 0)
    #expect(trial.content("a") == Trial.bytes(3_000_000))
    #expect(trial.fileNames == ["a"])
  }
}
