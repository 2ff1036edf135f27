import Foundation

extension HTTPRequest {
  /// The `curl` command that sends this request, with redacted secrets, for logs and bug reports.
  ///
  /// The command is on one line. `<redacted>` replaces the values of ``HTTPHeaders/secretNames``, the user name and
  /// password in the URL, query items, form fields and JSON members with names such as `token` or `password`, and JSON
  /// Web Tokens, also within header fields. A file is referenced by its path. Of a body that is neither a form nor JSON
  /// objects or arrays, or is longer than 65,536 bytes, only the size is shown.
  public var curlCommand: String { curlCommand(includingSecrets: false) }

  /// Returns the `curl` command that sends this request.
  ///
  /// A text body of at most 65,536 bytes is part of the command. A file is referenced by its path. Any other body is
  /// read from standard input (`@-`): a stream, a binary body, a longer text, and a text that begins with `@`. Without
  /// secrets, the command shows its size instead.
  /// - Parameter includesSecrets: Whether the command contains secrets and can therefore be run unchanged; never log
  ///   such a command.
  /// - Returns: The command on one line, for a POSIX shell with `$'…'` quotes (bash, zsh).
  public func curlCommand(includingSecrets includesSecrets: Bool) -> String {
    var words = ["curl"]
    let hasBody = if case .empty = body { false } else { true }
    switch method {
    case .get where !hasBody: break
    case .head: words.append("--head")
    default: words += ["-X", method.rawValue.shellQuoted]
    }
    // The client sends the path as it is.
    if url.absoluteString.hasDotSegments { words.append("--path-as-is") }
    words.append((includesSecrets ? url.absoluteString : url.absoluteString.redactingSecretParameters).shellQuoted)
    for field in headers {
      let text = includesSecrets ? field.value : field.redactedValue
      words += ["-H", (text.isEmpty ? "\(field.name);" : "\(field.name): \(text)").shellQuoted]
    }
    // Without its field, curl declares a body as a form.
    if hasBody, headers["Content-Type"] == nil { words += ["-H", "Content-Type:".shellQuoted] }
    if headers["Accept-Encoding"] != nil { words.append("--compressed") }
    if hasBody { words += ["--data-binary", bodyWord(includingSecrets: includesSecrets).shellQuoted] }
    return words.joined(separator: " ")
  }

  private func bodyWord(includingSecrets includesSecrets: Bool) -> String {
    let replacement = includesSecrets ? "@-" : "<\(body)>"
    switch body {
    case .empty: return ""
    case .file(let url): return "@\(url.path)"
    case .stream: return replacement
    case .data(let data):
      // A shell word cannot contain NUL.
      guard data.count <= 65_536, !data.contains(0), let text = String(validating: data, as: UTF8.self) else {
        return replacement
      }
      let shown = includesSecrets ? text : text.redactingSecrets(of: headers["Content-Type"])
      return shown.utf8.first == UInt8(ascii: "@") ? replacement : shown
    }
  }
}

extension String {
  /// Whether the path of a URL has a segment `.` or `..`, even if its dots are escaped.
  fileprivate var hasDotSegments: Bool {
    prefix { $0 != "?" && $0 != "#" }.split(separator: "/").contains { segment in
      segment.utf8.count <= 6 && [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
    }
  }

  /// The text as one shell word on one line; works on scalars, so that a combining character cannot hide a quote.
  fileprivate var shellQuoted: String {
    // A leading tilde would be expanded to the home folder.
    let isPlain = utf8.allSatisfy { ($0.isUnreserved && $0 != UInt8(ascii: "~")) || "/@".utf8.contains($0) }
    if isPlain, !isEmpty { return self }
    // In fish, a quote after a backslash would not end the word.
    let hasEscapedQuote = utf8.contains(UInt8(ascii: "'")) && utf8.contains(UInt8(ascii: "\\"))
    let isPrintable = !hasEscapedQuote && !unicodeScalars.contains(where: \.isInvisible)
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "'" where isPrintable: text += #"'\''"#.unicodeScalars
      case _ where isPrintable: text.append(scalar)
      case "\n": text += #"\n"#.unicodeScalars
      case "\r": text += #"\r"#.unicodeScalars
      case "\t": text += #"\t"#.unicodeScalars
      // Another shell, which does not know this form, must not end the word at it.
      case "'": text += #"\x27"#.unicodeScalars
      case "\\": text += #"\\"#.unicodeScalars
      case _ where scalar.isInvisible:
        for byte in UTF8.encode(scalar) ?? .init() {
          text += (#"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16)).unicodeScalars
        }
      default: text.append(scalar)
      }
    }
    return (isPrintable ? "'" : "$'") + String(text) + "'"
  }
}

extension Response {
  /// The `curl` command of the request as sent, with redacted secrets; `nil` if the request is unknown.
  ///
  /// It lacks the cookies of the client's storage, which a monitor gets with ``MonitorEvent/sent(_:)``. See
  /// ``HTTPRequest/curlCommand``.
  public var curlCommand: String? { request?.curlCommand }
}

extension NetworkError {
  /// The `curl` command of the request as sent, with redacted secrets; `nil` if the request was not built.
  ///
  /// See ``HTTPRequest/curlCommand``.
  public var curlCommand: String? { request?.curlCommand }
}
