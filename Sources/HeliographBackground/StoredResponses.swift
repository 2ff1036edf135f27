import Foundation
import Heliograph

/// The folder of a background session: responses to requests of earlier processes, and bodies that are being sent.
///
/// A successful response is stored until it is delivered, or until a launch seven days later, as one file with the
/// head and one with the body. Only the user can read the folder. Its methods are called on one thread at a time.
struct StoredResponses: Sendable {
  private struct Head: Codable {
    let statusCode: Int
    let url: URL
    let fields: [[String]]
  }

  /// The time after which a file is removed, in seconds: seven days, after which tasks have timed out as well.
  static let lifetime: TimeInterval = 7 * 86_400

  let folder: URL

  /// Creates the folder if it is missing; on Apple's platforms its files are excluded from backups, and can be read and
  /// written while the device is locked.
  func create() throws {
    var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
    #if canImport(Darwin)
    attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
    #endif
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: attributes)
    try folder.excludeFromBackup()
  }

  /// Stores the resume data of a failed download, replacing earlier data.
  func storeResumeData(_ data: Data, for key: String) throws {
    try create()
    try data.write(to: resumeFile(key), options: .atomic)
  }

  /// Removes and returns the resume data of a download; `nil` if there is none, or if it cannot be read yet.
  func takeResumeData(_ key: String) -> Data? {
    guard let data = try? Data(contentsOf: resumeFile(key)) else { return nil }
    removeFile(named: resumeFile(key).lastPathComponent)
    return data
  }

  /// Moves the body of a successful response into the folder, replacing an earlier response with the same key; any
  /// other response is dropped, because it may be outdated when it is requested.
  func store(_ file: URL, _ head: HTTPResponse, for key: String) throws {
    guard (200..<300).contains(head.statusCode) else { return }
    try create()
    remove(key)
    try FileManager.default.moveItem(at: file, to: body(key))
    let fields = head.headers.map { [$0.name, $0.value] }
    let data = try JSONEncoder().encode(Head(statusCode: head.statusCode, url: head.url, fields: fields))
    do {
      // Written last and atomically, because a response without a head is not found.
      try data.write(to: self.head(key), options: .atomic)
    } catch {
      remove(key)
      throw error
    }
  }

  func store(_ body: Data, _ head: HTTPResponse, for key: String) throws {
    try create()
    let file = folder.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try body.write(to: file)
    try store(file, head, for: key)
  }

  /// Returns the head and the open body of a response, with its size, once; `nil` if there is none.
  ///
  /// A later process finds it again, unless ``removeTaken(_:)`` has been called: the app may be suspended and ended
  /// before it has been delivered.
  /// - Throws: If it cannot be read, such as before the device is first unlocked after a restart; it remains.
  func take(_ key: String) throws(NetworkError) -> (head: HTTPResponse, file: FileHandle, byteCount: Int)? {
    let headFile = try opened(head(key))
    guard let data = try? headFile?.readToEnd(), let head = try? JSONDecoder().decode(Head.self, from: data),
      let file = try opened(body(key)), let byteCount = body(key).fileByteCount
    else {
      if !isTaken(key) { remove(key) }
      return nil
    }
    guard rename(self.head(key).path, takenHead(key).path) == 0 else { throw unreadable(errno) }
    let fields = head.fields.filter { $0.count == 2 }.map { HTTPHeaders.Field(name: $0[0], value: $0[1]) }
    return (HTTPResponse(statusCode: head.statusCode, headers: HTTPHeaders(fields), url: head.url), file, byteCount)
  }

  /// Takes the response to a request.
  ///
  /// If the request continues a download and has none, takes the response to the request for the whole content: the
  /// process may have ended while that one was written to the part file.
  func take(
    answering request: HTTPRequest, _ key: String
  ) throws(NetworkError) -> (head: HTTPResponse, file: FileHandle, key: String)? {
    if let (head, file, byteCount) = try take(key) {
      return (BackgroundRules.head(head, ofFile: byteCount, for: request), file, key)
    }
    guard request.headers["Range"] != nil, request.headers["If-Range"] != nil else { return nil }
    var whole = request
    for name in ["Range", "If-Range"] { whole.headers[name] = nil }
    return try take(answering: whole, try whole.backgroundKey())
  }

  /// Opens a file for reading; `nil` if there is none.
  private func opened(_ url: URL) throws(NetworkError) -> FileHandle? {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    if descriptor >= 0 { return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true) }
    if errno == ENOENT { return nil }
    throw unreadable(errno)
  }

  private func unreadable(_ number: Int32) -> NetworkError {
    NetworkError(
      .invalidTransport, reason: "cannot read the stored response: \(String(cString: strerror(number)))",
      underlying: POSIXErrorCode(rawValue: number).map { POSIXError($0) })
  }

  /// Removes a taken response that has been delivered or is no longer wanted, unless another one has been stored for
  /// the same key and is not taken yet.
  func removeTaken(_ key: String) {
    if isTaken(key) { remove(key) }
  }

  /// Removes the body file of a sent request.
  func removeFile(named name: String) {
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
  }

  /// Removes the files that are older than seven days, and restores responses that were not delivered, at the start of
  /// a process.
  func clean(at now: Date = Date()) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
      guard let status = FileStatus(path: folder.appendingPathComponent(name).path) else { continue }
      let age = now.timeIntervalSince1970 - Double(status.modifiedAt) / 1e9
      if age > StoredResponses.lifetime {
        removeFile(named: name)
      } else if name.hasSuffix(".taken") {
        let key = String(name.dropLast(6))
        rename(takenHead(key).path, head(key).path)
      }
    }
  }

  private func resumeFile(_ key: String) -> URL { folder.appendingPathComponent("\(key).resume") }
  private func head(_ key: String) -> URL { folder.appendingPathComponent("\(key).head") }
  private func takenHead(_ key: String) -> URL { folder.appendingPathComponent("\(key).taken") }
  private func body(_ key: String) -> URL { folder.appendingPathComponent("\(key).body") }

  private func isTaken(_ key: String) -> Bool { FileManager.default.fileExists(atPath: takenHead(key).path) }

  private func remove(_ key: String) {
    for file in [head(key), takenHead(key), body(key)] { removeFile(named: file.lastPathComponent) }
  }
}
