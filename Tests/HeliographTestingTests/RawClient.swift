import Foundation
import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket that writes and reads exactly what it is told; nothing is retried or repaired.
///
/// Each read that blocks has a thread of its own.
final class RawClient {
  struct Failure: Error {
    let operation: String
    let code: Int32
  }

  struct Response {
    var status = 0
    var head = ""
    var body = Data()

    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
      for line in head.split(separator: "\r\n").dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts[0].lowercased() == name.lowercased() { return parts[1].trimmingCharacters(in: .whitespaces) }
      }
      return nil
    }
  }

  private var descriptor: Int32
  private var buffer = Data()

  init(port: UInt16) throws {
    #if canImport(Glibc)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw Failure(operation: "socket", code: errno) }
    #if canImport(Darwin)
    // Without it, a write after the server's close would end the process.
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      let code = errno
      close()
      throw Failure(operation: "connect", code: code)
    }
  }

  deinit {
    close()
  }

  func send(_ text: String) throws {
    try send(Data(text.utf8))
  }

  func send(_ data: Data) throws {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < data.count {
      let count = data.withUnsafeBytes { bytes in
        systemSend(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]), flags)
      }
      guard count > 0 else { throw Failure(operation: "send", code: errno) }
      sent += count
    }
  }

  /// Sends a GET and reads its response.
  func get(_ path: String, method: String = "GET") async throws -> Response {
    try send("\(method) \(path) HTTP/1.1\r\nHost: test\r\n\r\n")
    return try await response(isHead: method == "HEAD")
  }

  /// Reads one response; without a length its body extends to the end of the connection.
  func response(isHead: Bool = false) async throws -> Response {
    var response = Response()
    response.head = String(decoding: try await bytes(through: "\r\n\r\n"), as: UTF8.self)
    response.status = Int(response.head.split(separator: " ").dropFirst().first ?? "") ?? 0
    if isHead || response.status < 200 || response.status == 204 || response.status == 304 { return response }
    if let length = response.header("Content-Length").flatMap({ Int($0) }) {
      response.body = try await bytes(count: length)
    } else if response.header("Transfer-Encoding") == "chunked" {
      while true {
        let line = String(decoding: try await bytes(through: "\r\n").dropLast(2), as: UTF8.self)
        let size = Int(line, radix: 16) ?? 0
        response.body += try await bytes(count: size)
        _ = try await bytes(count: 2)
        if size == 0 { break }
      }
    } else {
      response.body = try await bytesToEnd()
    }
    return response
  }

  func bytes(count: Int) async throws -> Data {
    while buffer.count < count {
      guard try await fill() else { throw Failure(operation: "end", code: 0) }
    }
    defer { buffer = Data(buffer.dropFirst(count)) }
    return Data(buffer.prefix(count))
  }

  func bytes(through mark: String) async throws -> Data {
    while true {
      if let range = buffer.range(of: Data(mark.utf8)) { return try await bytes(count: range.upperBound) }
      guard try await fill() else { throw Failure(operation: "end", code: 0) }
    }
  }

  /// Everything up to the FIN.
  func bytesToEnd() async throws -> Data {
    let (data, code) = await rest()
    if code != 0 { throw Failure(operation: "recv", code: code) }
    return data
  }

  /// Everything up to the RST; fails when the connection ends in order.
  func bytesToReset() async throws -> Data {
    let (data, code) = await rest()
    guard code == ECONNRESET else { throw Failure(operation: "reset expected", code: code) }
    return data
  }

  /// Everything up to the end of the connection, and the error number of that end.
  ///
  /// It is read without a pause: a server waits only for a while for those who do not read.
  private func rest() async -> (Data, Int32) {
    let (rest, code) = await onThread { [descriptor] in
      var rest = Data()
      while true {
        let (piece, code) = Self.receive(from: descriptor)
        if piece.isEmpty { return (rest, code) }
        rest.append(contentsOf: piece)
      }
    }
    defer { buffer = Data() }
    return (buffer + rest, code)
  }

  /// Whether more may follow.
  private func fill() async throws -> Bool {
    let (piece, code) = await onThread { [descriptor] in Self.receive(from: descriptor) }
    if code != 0 { throw Failure(operation: "recv", code: code) }
    buffer.append(contentsOf: piece)
    return !piece.isEmpty
  }

  private static func receive(from descriptor: Int32) -> (ArraySlice<UInt8>, Int32) {
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    let count = recv(descriptor, &piece, piece.count, 0)  // blocks: a thread of its own
    return count < 0 ? ([], errno) : (piece[..<count], 0)
  }

  func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() {
    if descriptor >= 0 { systemClose(descriptor) }
    descriptor = -1
  }
}

// The methods above hide the functions of the same name.

private func systemSend(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
  send(descriptor, buffer.baseAddress, buffer.count, flags)
}

private func systemClose(_ descriptor: Int32) {
  _ = close(descriptor)
}
