public import Foundation

/// A body of several parts, as forms send files (RFC 7578).
///
/// ```swift
/// let upload: Multipart = [.text("title", "Lamp"), .file("photo", URL(fileURLWithPath: "/tmp/lamp.jpg"))]
/// ```
/// It is a value: nothing is opened or read before ``body()`` is called, and files and streams not before they are sent.
public struct Multipart: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The parts, in the order in which they are sent.
  public var parts: [Part]
  /// What separates the parts: 1 to 70 letters, digits and any of `'+_-.`; `nil` chooses one.
  ///
  /// The one chosen does not occur in what is in memory, and is the same for the same parts. If there are files or streams,
  /// whose content nobody has seen, it is the same only as long as the process runs: nobody outside can know it
  /// beforehand and put it into a file. It has 128 bits, so it does not occur there by chance either.
  public var boundary: String?

  /// Makes a body without parts, with a boundary that is chosen.
  public init() {
    parts = []
  }

  /// Makes a body of parts.
  ///
  /// - Parameters:
  ///   - parts: the parts. Default: none.
  ///   - boundary: what separates them. Default: what is chosen, see ``boundary``.
  public init(_ parts: [Part] = [], boundary: String? = nil) {
    self.parts = parts
    self.boundary = boundary
  }

  /// Makes a body of parts.
  public init(arrayLiteral elements: Part...) {
    self.init(elements)
  }

  /// Adds a part at the end.
  public mutating func append(_ part: Part) {
    parts.append(part)
  }

  /// The bytes to send, and what the request's `Content-Type` is to be.
  ///
  /// Up to 1 MiB in memory becomes ``HTTPBody/data(_:)``; all else a ``HTTPBody/stream(_:)`` that opens its files anew for each
  /// sending, reads 64 KiB at a time, and knows its length unless one of the parts is a stream that does not. Files and
  /// streams are checked against their length while they are sent.
  ///
  /// - Returns: the body and its content type.
  /// - Throws: a `client` error: ``NetworkError/Code/invalidBody`` if a file is missing, unreadable or no file, or the boundary
  ///   occurs in what is in memory; ``NetworkError/Code/invalidHeader`` if a content type holds CR, LF or NUL, or the boundary
  ///   is not what ``boundary`` says.
  public func body() throws(NetworkError) -> (body: HTTPBody, contentType: String) {
    var sections: [MultipartSection] = []
    for part in parts { sections.append(try MultipartSection(part)) }
    let boundary = try MultipartBoundary.choose(self.boundary, for: sections)
    var segments: [MultipartSegment] = []
    for section in sections {
      segments += [.data(Data("--\(boundary)\r\n\(section.head)".utf8)), section.content, .lineEnd]
    }
    segments.append(.data(Data("--\(boundary)--\r\n".utf8)))
    return (MultipartSegment.body(of: segments), "multipart/form-data; boundary=\(boundary)")
  }
}

extension Multipart {
  /// One part: a field or a file, with its name.
  ///
  /// In names and file names CR, LF, NUL and `"` are written as `%0D`, `%0A`, `%00` and `%22`, and all else in UTF-8, as
  /// browsers do (RFC 7578 §2, §5.1; WHATWG HTML, multipart form data).
  public struct Part: Sendable, Hashable {
    enum Content: Sendable, Hashable {
      case data(Data)
      case file(URL)
      case stream(BodyStream)
    }

    let name: String
    let fileName: String?
    let contentType: String?
    let content: Content

    /// A field with a text, in UTF-8 and as it is; it has no content type of its own.
    public static func text(_ name: String, _ value: String) -> Part {
      Part(name: name, fileName: nil, contentType: nil, content: .data(Data(value.utf8)))
    }

    /// Bytes in memory.
    ///
    /// - Parameters:
    ///   - name: the name of the field.
    ///   - data: the bytes.
    ///   - fileName: the name of the file that they are to be. Default: none; many servers then take them for a field.
    ///   - contentType: what they are. Default: what the extension of the file name says, or `application/octet-stream`.
    /// - Returns: the part.
    public static func data(
      _ name: String, _ data: Data, fileName: String? = nil, contentType: String? = nil
    ) -> Part {
      let type = contentType ?? MultipartMediaType.ofFile(named: fileName ?? "")
      return Part(name: name, fileName: fileName, contentType: type, content: .data(data))
    }

    /// A file, read while it is sent.
    ///
    /// - Parameters:
    ///   - name: the name of the field.
    ///   - url: where the file is.
    ///   - fileName: the name that the server is told. Default: the last component of its path.
    ///   - contentType: what it is. Default: what the extension of the file name says, or `application/octet-stream`.
    /// - Returns: the part.
    public static func file(
      _ name: String, _ url: URL, fileName: String? = nil, contentType: String? = nil
    ) -> Part {
      let fileName = fileName ?? url.lastPathComponent
      let type = contentType ?? MultipartMediaType.ofFile(named: fileName)
      return Part(name: name, fileName: fileName, contentType: type, content: .file(url))
    }

    /// Pieces that are made while they are sent.
    ///
    /// - Parameters:
    ///   - name: the name of the field.
    ///   - stream: makes the pieces.
    ///   - fileName: the name of the file that they are to be. Default: none; many servers then take them for a field.
    ///   - contentType: what they are. Default: what the extension of the file name says, or `application/octet-stream`.
    /// - Returns: the part.
    public static func stream(
      _ name: String, _ stream: BodyStream, fileName: String? = nil, contentType: String? = nil
    ) -> Part {
      let type = contentType ?? MultipartMediaType.ofFile(named: fileName ?? "")
      return Part(name: name, fileName: fileName, contentType: type, content: .stream(stream))
    }
  }
}
