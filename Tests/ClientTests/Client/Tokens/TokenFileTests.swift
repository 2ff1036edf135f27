import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

@testable import Heliograph

/// The files of a store of tokens: who can read them, and what is not read.
final class TokenFileTests {
  private struct Session: Codable, Sendable, Equatable {
    var token: String
    var refreshToken = "r"
  }

  private let parent: URL
  private let folder: URL
  private let account = CurrentValue<String?>("ann")
  private let client: NetworkClient

  init() {
    parent = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)")
    folder = parent.appendingPathComponent("a/b")
    client = NetworkClient(baseURL: URL(string: "https://shop.example")) { [account] in
      $0.account = account
      $0.transport = StubTransport()
    }
  }

  deinit { try? FileManager.default.removeItem(at: parent) }

  private var store: TokenStore<Session> { .file(in: folder) }

  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// The path of the only file.
  private func path() throws -> String {
    expectEqual(files.count, 1)
    return folder.appendingPathComponent(try require(files.first)).path
  }

  private func refusal(_ store: TokenStore<Session>? = nil) -> String? {
    let error = #expect(throws: NetworkError.self) { try (store ?? self.store).token(for: client) }
    expectEqual(error?.code, .invalidCredentials)
    return error?.reason
  }

  @Test("P9") func aTokenIsReadByALaterProcess() throws {
    expectNil(try store.token(for: client))
    try store.set(Session(token: "t"), for: client)
    expectEqual(try store.token(for: client), Session(token: "t"))
    try store.set(Session(token: "u"), for: client)
    expectEqual(try store.token(for: client), Session(token: "u"))
    expectEqual(files.count, 1)
  }

  @Test("P9") func aRemovalTakesADamagedEntryAndWhatAProcessHasLeft() throws {
    try store.set(Session(token: "t"), for: client)
    let path = try path()
    try Data("{".utf8).write(to: URL(fileURLWithPath: path))
    try leave(temporary(path))
    expect(refusal() != nil)
    try store.set(nil, for: client)
    expectEqual(files, [])
    expectNil(try store.token(for: client))
  }

  /// A process has ended before the rename: its token does not stay beside that of the next one.
  @Test("P9") func theNextTokenReplacesWhatAProcessHasLeft() throws {
    try store.set(Session(token: "t"), for: client)
    let path = try path()
    try leave(temporary(path))
    try store.set(Session(token: "u"), for: client)
    expectEqual(try self.path(), path)
    expectEqual(try store.token(for: client), Session(token: "u"))
  }

  /// As left by somebody who wants to read the next token.
  @Test("P9") func aTemporaryFileThatOthersCanReadIsNotUsed() throws {
    try store.set(Session(token: "t"), for: client)
    let path = try path()
    let temporary = temporary(path)
    let outside = parent.appendingPathComponent("outside").path
    let traps: [() throws -> Void] = [
      { try self.leave(temporary, mode: 0o644) }, { symlink(outside, temporary) }, { mkfifo(temporary, 0o600) },
      {
        try self.leave(outside)
        link(outside, temporary)
      },
    ]
    for (number, trap) in traps.enumerated() {
      try trap()
      try store.set(Session(token: "\(number)"), for: client)
      expectEqual(try self.path(), path)
      expectEqual(try store.token(for: client)?.token, "\(number)")
      expectEqual(FileStatus(path: path)?.permissions, 0o600)
    }
    expectEqual(try Data(contentsOf: URL(fileURLWithPath: outside)), Data(repeating: 0x78, count: 1_000))
  }

  /// Another user could keep it locked for ever.
  @Test("P9") func noLockOfAFileThatOthersCanReadIsAwaited() throws {
    try store.set(Session(token: "t"), for: client)
    try leave(temporary(try path()), mode: 0o666)
    let modes = Guarded<[UInt32?]>([])
    let folder = TokenFolder(folder) { file in
      modes.withLock { $0.append(file.status?.permissions) }
      return file.waitForLock()
    }
    try store(over: folder).set(Session(token: "u"), for: client)
    expectEqual(modes.withLock { $0 }, [0o600])
    expectEqual(try store.token(for: client)?.token, "u")
  }

  /// As on a network's disk: neither process can wait for the other.
  @Test("P9") func writersOfAFileSystemWithoutLocksLeaveAWholeToken() async throws {
    let folder = TokenFolder(folder) { _ in false }
    let client = client
    let tokens = [100, 50_000].map { String(repeating: "x", count: $0) }
    try store(over: folder).set(Session(token: tokens[0]), for: client)
    let broken = Guarded<[String]>([])
    let stores = (0..<4).map { _ in store(over: folder) }
    await together(4) { index in
      for _ in 0..<50 {
        do {
          if index < 2 {
            try stores[index].set(Session(token: tokens[index]), for: client)
          } else if try !tokens.contains(stores[index].token(for: client)?.token ?? "") {
            broken.withLock { $0.append("another token") }
          }
        } catch {
          broken.withLock { $0.append("\(error)") }
        }
      }
    }
    expectEqual(broken.withLock { $0 }, [])
    let left = try path().replacingOccurrences(of: ".token", with: ".\(UUID()).new")
    try leave(left)
    try store.removeAll()
    expectEqual(files, [])
  }

  private func store(over folder: TokenFolder) -> TokenStore<Session> {
    TokenStore(read: folder.read, write: folder.write, removeAll: folder.removeAll)
  }

  private func temporary(_ path: String) -> String { path.replacingOccurrences(of: ".token", with: ".new") }

  private func leave(_ path: String, mode: mode_t = 0o600) throws {
    try Data(repeating: 0x78, count: 1_000).write(to: URL(fileURLWithPath: path))
    chmod(path, mode)
  }

  @Test("P9") func anEmptyAccountIsNotTheLackOfOne() throws {
    account.value = nil
    try store.set(Session(token: "of a guest"), for: client)
    account.value = ""
    expectNil(try store.token(for: client))
  }

  @Test("P9") func eachAccountHasItsOwn() throws {
    let store = store
    try store.set(Session(token: "of ann"), for: client)
    account.value = "ben"
    expectNil(try store.token(for: client))
    try store.set(Session(token: "of ben"), for: client)
    account.value = nil
    expectNil(try store.token(for: client))
    account.value = "ann"
    expectEqual(try store.token(for: client)?.token, "of ann")
    try store.set(nil, for: client)
    expectNil(try self.store.token(for: client))
    account.value = "ben"
    expectEqual(try self.store.token(for: client)?.token, "of ben")
    expectEqual(files.count, 1)
  }

  @Test("P9") func eachEnvironmentHasItsOwn() throws {
    let environments = EnvironmentStore(build: .develop, storage: .memory())
    let client = NetworkClient(.init(baseURL: nil, environments: environments, transport: StubTransport()))
    try store.set(Session(token: "of develop"), for: client)
    try environments.switch(to: .test)
    expectNil(try store.token(for: client))
    try environments.switch(to: .develop)
    expectEqual(try store.token(for: client)?.token, "of develop")
  }

  @Test("P9") func onlyTheUserCanReadThem() throws {
    try store.set(Session(token: "t"), for: client)
    expectEqual(FileStatus(path: try path())?.permissions, 0o600)
    for folder in [folder, folder.deletingLastPathComponent()] {
      expectEqual(FileStatus(path: folder.path)?.permissions, 0o700)
    }
  }

  /// Every file that is seen at any instant, also one that is still being written.
  @Test("P9") func theyAreReadableByNobodyElseAtAnyInstant() async throws {
    try store.set(Session(token: "t"), for: client)
    let isWritten = Atomic(false)
    let loose = Guarded<[UInt32]>([])
    let (store, client, folder) = (store, client, folder)
    await together(2) { index in
      if index == 0 {
        for number in 0..<200 { try? store.set(Session(token: "\(number)"), for: client) }
        return isWritten.store(true, ordering: .releasing)
      }
      while !isWritten.load(ordering: .acquiring) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
          let status = FileStatus(path: folder.appendingPathComponent(name).path)
          if let status, status.permissions & 0o077 != 0 { loose.withLock { $0.append(status.permissions) } }
        }
      }
    }
    expectEqual(loose.withLock { $0 }, [])
  }

  @Test("P9") func concurrentWritersLeaveAWholeTokenAndNoOtherFile() async throws {
    let (client, folder) = (client, folder)
    let long = String(repeating: "x", count: 50_000)
    try store.set(Session(token: long), for: client)
    let broken = Guarded<[String]>([])
    await together(5) { index in
      // A store each, as of another process.
      let store = TokenStore<Session>.file(in: folder)
      for number in 0..<50 {
        do {
          if index < 2 {
            try store.set(Session(token: long, refreshToken: "\(index)"), for: client)
          } else if index == 2 {
            try number.isMultiple(of: 2) ? store.set(nil, for: client) : store.removeAll()
          } else if let token = try store.token(for: client)?.token, token != long {
            broken.withLock { $0.append("another token") }
          }
        } catch {
          broken.withLock { $0.append("\(error)") }
        }
      }
    }
    expectEqual(broken.withLock { $0 }, [])
    try store.set(Session(token: long), for: client)
    _ = try path()
  }

  @Test("P9") func aFileThatOthersCanReadIsNotRead() throws {
    try store.set(Session(token: "t"), for: client)
    chmod(try path(), 0o644)
    expectEqual(refusal(), "token file is readable by others; set its mode to 0600")
  }

  @Test("P9") func aDamagedFileIsAnErrorAndIsReplaced() throws {
    try store.set(Session(token: "hunter2"), for: client)
    let path = try path()
    let whole = try Data(contentsOf: URL(filePath: path))
    for bytes in [Data(), whole.dropLast(), Data("hunter2".utf8)] {
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: bytes)
      expectEqual(refusal(), "stored token damaged, or of another type")
    }
    let error = #expect(throws: NetworkError.self) { try store.token(for: client) }
    expectHidden("hunter2", in: error as Any)
    try store.set(Session(token: "new"), for: client)
    expectEqual(try store.token(for: client)?.token, "new")
  }

  @Test("P9") func theFileOfAnotherAccountIsNotRead() throws {
    try store.set(Session(token: "of ann"), for: client)
    let path = try path()
    account.value = "ben"
    try store.set(Session(token: "of ben"), for: client)
    let other = try require(files.first { !path.hasSuffix($0) })
    rename(path, folder.appendingPathComponent(other).path)
    expectEqual(refusal(), "stored token of another account")
  }

  @Test("P9") func whatIsNoFileIsNotRead() throws {
    try store.set(Session(token: "t"), for: client)
    let path = try path()
    unlink(path)
    symlink("/etc/hostname", path)
    expectEqual(refusal(), "token file cannot be read")
    unlink(path)
    mkfifo(path, 0o600)
    expectEqual(refusal(), "token file is not a regular file of up to 1 MiB")
    unlink(path)
    mkdir(path, 0o700)
    expectEqual(refusal(), "token file is not a regular file of up to 1 MiB")
    // Nor replaced: the former content stays.
    let error = #expect(throws: NetworkError.self) { try store.set(Session(token: "u"), for: client) }
    expectEqual(error?.code, .cannotWriteFile)
    expect(error?.underlying is POSIXError)
    expectEqual(files.count, 1)
  }

  @Test("P9") func aFolderThatCannotBeCreatedIsAnError() throws {
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try Data().write(to: parent.appendingPathComponent("a"))
    let error = #expect(throws: NetworkError.self) { try store.set(Session(token: "t"), for: client) }
    expectEqual(error?.code, .cannotCreateFile)
  }

  @Test("P9") func allAreRemovedAtSignOutAndNothingElse() throws {
    try store.removeAll()
    let store = store
    try store.set(Session(token: "of ann"), for: client)
    account.value = "ben"
    try store.set(Session(token: "of ben"), for: client)
    let left = "\(String(repeating: "0", count: 64)).new"
    for name in ["notes.txt", "a.token", left] { try Data().write(to: folder.appendingPathComponent(name)) }
    try store.removeAll()
    expectEqual(files, ["a.token", "notes.txt"])
    expectNil(try store.token(for: client))
  }

  /// Also of the store for tests, which stands for a restarted app.
  @Test("P9") func eachStoreReadsWhatItWroteAndRemovesAll() throws {
    for store in [store, .memory()] {
      for account in ["ann", "ben"] {
        self.account.value = account
        expectNil(try store.token(for: client))
        try store.set(Session(token: "of \(account)"), for: client)
      }
      account.value = "ann"
      expectEqual(try store.token(for: client)?.token, "of ann")
      try store.removeAll()
      for account in ["ann", "ben"] {
        self.account.value = account
        expectNil(try store.token(for: client))
      }
    }
  }

  @Test func aFullDiskHasItsCode() {
    for number in [ENOSPC, EDQUOT] { expectEqual(TokenFolder.unwritable(number).code, .diskFull) }
    expectEqual(TokenFolder.unwritable(EIO).code, .cannotWriteFile)
  }

  @Test("P13") func noDescriptionShowsAToken() throws {
    for store in [store, .memory()] {
      try store.set(Session(token: "hunter2"), for: client)
      expectHidden("hunter2", in: store)
      expectEqual("\(store)", "TokenStore<Session>")
    }
  }
}
