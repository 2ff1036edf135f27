/// An option of the command line.
struct Option: Sendable {
  /// The long name without dashes, which also identifies the option.
  let name: String
  /// The short name.
  let letter: Character?
  /// The placeholder of the value in the manual; `nil` for a flag.
  let placeholder: String?
  /// One line of the manual, or several.
  let help: String

  init(_ name: String, _ letter: Character? = nil, _ placeholder: String? = nil, _ help: String) {
    (self.name, self.letter, self.placeholder, self.help) = (name, letter, placeholder, help)
  }
}

/// The options of every command.
extension Option {
  static let common: [Option] = [
    .header, .method, .bearer, .timeout, .totalTimeout, .retry, .har, .inspect, .verbose, .explain, .quiet, .help,
  ]

  static let header = Option("header", "H", "'NAME: VALUE'", "add a header field; may be repeated")
  static let method = Option("method", "X", "METHOD", "use another method")
  static let bearer = Option(
    "bearer", nil, "TOKEN", "send this token as authorization [the variable\nCOURIER_TOKEN]")
  static let timeout = Option(
    "timeout", nil, "SECONDS", "idle timeout: the maximum time without a byte\n[60]")
  static let totalTimeout = Option(
    "total-timeout", nil, "SECONDS", "total timeout: the maximum time for everything\n[no limit]")
  static let retry = Option(
    "retry", nil, "N",
    "try again N times after a transient failure\n[3; events: no limit]; POST and PATCH are never\nsent twice")
  static let har = Option(
    "har", nil, "FILE", "write the traffic, without secrets, to a HAR file\nfor a browser's developer tools")
  static let inspect = Option(
    "inspect", nil, nil, "show the requests in a browser, without secrets,\nuntil Ctrl-C")
  static let verbose = Option(
    "verbose", "v", nil,
    "show requests as curl commands, responses,\nredirects, attempts and timings, without secrets")
  static let explain = Option("explain", nil, nil, "explain the decisions of each request at its end")
  static let quiet = Option("quiet", "q", nil, "show only errors, and the address of --inspect")
  static let help = Option("help", "h", nil, "show this text")
}

/// The options of single commands.
extension Option {
  static let output = Option("output", "o", "FILE", "save as FILE, or in this folder; - is standard output")
  static let sha256 = Option("sha256", nil, "HEX", "accept only content with this SHA-256 digest")
  static let limitSize = Option("limit-size", nil, "SIZE", "accept at most SIZE bytes, such as 500k, 20M or 4G")
  static let resumeID = Option(
    "id", nil, "NAME", "resume the part file with this NAME even if the URL\nhas changed, as signed URLs do")
  static let noResume = Option("no-resume", nil, nil, "start over, and keep no part file")
  static let noClobber = Option("no-clobber", nil, nil, "fail if FILE exists")
  static let createFolders = Option("create-dirs", nil, nil, "create missing folders of FILE")
  static let data = Option(
    "data", "d", "DATA", "send DATA; @FILE sends a file, @- standard input.\nRepeated, all are joined with &")
  static let json = Option("json", nil, "JSON", "send JSON, validated first; @FILE and @- as above")
  static let form = Option("form", nil, "NAME=VALUE", "send a form field, escaped; may be repeated")
  static let field = Option("field", nil, "NAME=VALUE", "send a form field before the file; may be repeated")
  static let name = Option("name", nil, "NAME", "send the file as the field NAME [file]")
  static let put = Option("put", nil, nil, "send the file itself with PUT, without a form")
  static let lastEventID = Option("last-event-id", nil, "ID", "begin after the event with this id")
  static let jsonLines = Option("json", nil, nil, "print each event as a JSON object on one line")
}
