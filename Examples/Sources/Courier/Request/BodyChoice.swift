import Foundation
import Heliograph

/// The body of `courier post`, by its options.
struct BodyChoice: Sendable {
  private enum Kind: Sendable {
    case empty
    case data([String])
    case json(String)
    case form([(name: String, value: String)])
  }

  private let kind: Kind

  init(_ arguments: Arguments) throws(Failure) {
    let used = [Option.data, .json, .form].filter(arguments.has)
    if used.count > 1 {
      throw .usage("--\(used[0].name) and --\(used[1].name) exclude each other", "choose one kind of body")
    }
    kind =
      switch used.first?.name {
      case Option.data.name: .data(arguments.values(of: .data))
      case Option.json.name: .json(arguments.value(of: .json) ?? "")
      case Option.form.name: .form(try arguments.pairs(of: .form))
      default: .empty
      }
    if case .json(let text) = kind, !text.hasPrefix("@") { try Self.check(json: Data(text.utf8)) }
  }

  /// Returns the body; files, pipes and standard input are read now, but a single file is streamed.
  func makeBody(input: FileHandle) async throws(Failure) -> RequestBody {
    let formType = "application/x-www-form-urlencoded"
    switch kind {
    case .empty: return .empty
    case .data(let texts):
      if let text = texts.first, texts.count == 1, text.hasPrefix("@"), text != "@-" {
        let file = try LocalFile.readable(String(text.dropFirst()))
        // A pipe has no size, and can be read only once.
        if HTTPBody.file(file).byteCount != nil { return .file(file, contentType: formType) }
      }
      var data = Data()
      for (index, text) in texts.enumerated() {
        if index > 0 { data.append(UInt8(ascii: "&")) }
        data += try await content(text, input)
      }
      return .data(data, contentType: formType)
    case .json(let text):
      let data = try await content(text, input)
      try Self.check(json: data)
      return .data(data, contentType: "application/json")
    case .form(let fields):
      // Parameters are an object, in which a name occurs once; these fields keep their order.
      let text = fields.map { "\($0.name.formEncoded)=\($0.value.formEncoded)" }.joined(separator: "&")
      return .data(Data(text.utf8), contentType: formType)
    }
  }

  private static func check(json data: Data) throws(Failure) {
    do throws(NetworkError) {
      _ = try JSON(data: data)
    } catch {
      throw .usage("invalid JSON: \(error.reason)", "correct it, or send it unchecked with --data")
    }
  }

  private func content(_ text: String, _ input: FileHandle) async throws(Failure) -> Data {
    guard text.hasPrefix("@") else { return Data(text.utf8) }
    let path = String(text.dropFirst())
    // Reading waits for the other end of a pipe, so it has its own thread; a cancelled task does not wait for it.
    let content = await Signal<Result<Data, Failure>, Never> { observer in
      DispatchQueue(label: "courier.input").async {
        observer.send(
          Result { () throws(Failure) in try path == "-" ? Self.content(of: input) : LocalFile.content(path) })
        observer.complete()
      }
      return nil
    }.first()
    guard let content else { throw Failure(.interrupted, "interrupted") }
    return try content.get()
  }

  private static func content(of input: FileHandle) throws(Failure) -> Data {
    do {
      return try input.readToEnd() ?? Data()
    } catch {
      throw Failure(.cannotRead, "standard input cannot be read", "check where it comes from")
    }
  }
}

extension String {
  /// The text as escaped in a form: <https://url.spec.whatwg.org/#application/x-www-form-urlencoded>.
  fileprivate var formEncoded: String {
    var text = ""
    for byte in utf8 {
      switch byte {
      case 0x20: text += "+"
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F:
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
