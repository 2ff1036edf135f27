public import Foundation

/// A `multipart/form-data` body of fields and files (RFC 7578).
///
/// ```swift
/// let upload: Multipart = [.text("title", "Lamp"), .file("photo", URL(fileURLWithPath: "/tmp/lamp.jpg"))]
/// ```
/// A multipart body is a value. Nothing is opened or read before ``body()`` is called. Files and streams are read while
/// they are sent.
public struct Multipart: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The parts, in the order in which they are sent.
  public var parts: [Part]
  /// The delimiter between parts: 1 to 70 letters, digits and any of `'+_-.`; `nil` generates one.
  ///
  /// The generated boundary does not occur in parts held in memory, and equal parts get the same boundary. With files
  /// or streams, whose content is not known in advance, it is the same only within one process, so that no file can be
  /// crafted to contain it. The generated boundary has 128 bits, so a match by chance is practically impossible.
  public var boundary: String?

  /// Creates an empty body with a generated boundary.
  public init() { parts = [] }

  /// Creates a body from parts.
  ///
  /// - Parameters:
  ///   - parts: The parts. Default: none.
  ///   - boundary: The delimiter between parts. Default: generated, see ``boundary``.
  public init(_ parts: [Part] = [], boundary: String? = nil) {
    self.parts = parts
    self.boundary = boundary
  }

  /// Creates a body from parts.
  public init(arrayLiteral elements: Part...) { self.init(elements) }

  /// Appends a part.
  public mutating func append(_ part: Part) { parts.append(part) }

  /// Returns the encoded body and its `Content-Type`.
  ///
  /// A form whose parts are all in memory becomes ``HTTPBody/data(_:)``, a copy of them, whatever its size, so that a
  /// signer can always hash it. Any other form becomes a ``HTTPBody/stream(_:)``.
  /// The stream opens its files anew for each attempt, reads 256 KiB at a time and knows its length unless a part is a
  /// stream of unknown length. The lengths of files and streams are verified while they are sent.
  ///
  /// - Returns: The body and its content type.
  /// - Throws: A `client` error: ``NetworkError/Code/invalidBody`` if a file has no file URL, is missing, unreadable or
  ///   not a regular file, or if the boundary occurs in a part held in memory; ``NetworkError/Code/invalidHeader`` if a
  ///   content type contains a control character, or if ``boundary`` is invalid.
  public func body() throws(NetworkError) -> (body: HTTPBody, contentType: String) {
    var sections: [MultipartSection] = []
    for part in parts { sections.append(try MultipartSection(part)) }
    let boundary = try MultipartBoundary.resolve(self.boundary, for: sections)
    var segments: [BodySegment] = []
    for section in sections {
      segments += [.data(Data("--\(boundary)\r\n\(section.head)".utf8)), section.content, .data(Data("\r\n".utf8))]
    }
    segments.append(.data(Data("--\(boundary)--\r\n".utf8)))
    return (BodySegment.body(of: segments), "multipart/form-data; boundary=\(boundary)")
  }

  /// A part: a named field or file.
  ///
  /// In names and file names CR, LF, NUL and `"` are written as `%0D`, `%0A`, `%00` and `%22`, and everything else as
  /// UTF-8, with the escapes of browsers (RFC 7578 §2, §5.1; WHATWG HTML, multipart form data).
  public struct Part: Sendable, Hashable {
    enum Content: Sendable, Hashable {
      case data(Data)
      case file(URL)
      case stream(BodyStream)

      func hash(into hasher: inout Hasher) {
        switch self {
        case .data(let data): hasher.combine(bytesOf: data)
        case .file(let url): hasher.combine(url)
        case .stream(let stream): hasher.combine(stream)
        }
      }
    }

    let name: String
    let fileName: String?
    let contentType: String?
    let content: Content

    /// Creates a text field in UTF-8, without conversion and without a content type.
    public static func text(_ name: String, _ value: String) -> Part {
      Part(name: name, fileName: nil, contentType: nil, content: .data(Data(value.utf8)))
    }

    /// Creates a part from bytes in memory.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - data: The bytes.
    ///   - fileName: The file name to send. Default: none; many servers then treat the part as a field.
    ///   - contentType: The media type. Default: derived from the extension of the file name, or
    ///     `application/octet-stream`.
    /// - Returns: The part.
    public static func data(
      _ name: String, _ data: Data, fileName: String? = nil, contentType: String? = nil
    ) -> Part {
      let type = contentType ?? MultipartMediaType.ofFile(named: fileName ?? "")
      return Part(name: name, fileName: fileName, contentType: type, content: .data(data))
    }

    /// Creates a part from a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - url: The location of the file.
    ///   - fileName: The file name to send. Default: the last path component of the URL, in Unicode's form C.
    ///   - contentType: The media type. Default: derived from the extension of the file name, or
    ///     `application/octet-stream`.
    /// - Returns: The part.
    public static func file(_ name: String, _ url: URL, fileName: String? = nil, contentType: String? = nil) -> Part {
      // Apple's file systems return names in decomposed form, which few servers expect.
      let fileName = fileName ?? url.lastPathComponent.precomposedStringWithCanonicalMapping
      let type = contentType ?? MultipartMediaType.ofFile(named: fileName)
      return Part(name: name, fileName: fileName, contentType: type, content: .file(url))
    }

    /// Creates a part from a stream of chunks, which are produced while they are sent.
    ///
    /// The parameters are those of ``data(_:_:fileName:contentType:)``, with the stream in place of the bytes.
    public static func stream(
      _ name: String, _ stream: BodyStream, fileName: String? = nil, contentType: String? = nil
    ) -> Part {
      let type = contentType ?? MultipartMediaType.ofFile(named: fileName ?? "")
      return Part(name: name, fileName: fileName, contentType: type, content: .stream(stream))
    }
  }
}

extension Multipart: _Summarized {
  /// The parts on one line, without their content.
  public var description: String { "multipart \(parts)" }
  /// The parts, without their content.
  public var customMirror: Mirror { Mirror(self, children: ["parts": parts], displayStyle: .struct) }
}

extension Multipart.Part: _Summarized {
  /// The name and the content type on one line, without the content and the file name.
  public var description: String { contentType.map { "\(name) (\($0))".singleLine } ?? name.singleLine }
}
