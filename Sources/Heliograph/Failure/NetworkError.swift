public import Foundation

/// What went wrong: where, with which code, what a person should read, and what was on the wire.
///
/// It grows without breaking code that uses it: a struct, with open codes. A cancelled request is no error; it is silence.
public struct NetworkError: Error, Sendable {
  /// The part of the way on which it went wrong.
  public enum Domain: String, Sendable, Hashable, CaseIterable {
    /// The request could not be sent: it is malformed, or the device refuses.
    case client
    /// No response came, or only a part of one.
    case network
    /// The server answered with a status that is not a success.
    case server
    /// The server's answer says that the operation failed.
    case api
    /// The answer could not be made into the value that was asked for.
    case processing
  }

  /// What it holds, apart: as one word it makes every event small in which it could come.
  private struct Contents: Sendable {
    let domain: Domain
    let code: Code
    /// What somebody has said for a person to read.
    var message: String?
    var reason: String
    /// Words of the body that belong to the reason.
    var excerpt: String?
    var request: HTTPRequest?
    var response: Response<Data>?
    var metrics: Metrics?
    let underlying: (any Error)?
    var attribution: Attribution?
    var serverCode: String?
    var serverMessage: String?
    var meaning: Meaning?
    var presentation: PresentationStyle?
  }

  private indirect enum Box: Sendable {
    case full(Contents)
  }

  private var box: Box

  private var contents: Contents {
    get {
      switch box {
      case .full(let contents): contents
      }
    }
    set { box = .full(newValue) }
  }

  /// Where it went wrong.
  public var domain: Domain { contents.domain }
  /// What went wrong, within its domain.
  public var code: Code { contents.code }
  /// What a person may read; never empty, and untouched where a server has said it.
  ///
  /// Where nobody has said anything: words for its domain, code and attribution, in the user's language; see
  /// ``message(in:)``.
  public var message: String { contents.message ?? message(in: .current) }
  /// What is wrong in a developer's words, such as the path of a missing field.
  ///
  /// Of a body that cannot be read it also has the beginning, at most ``excerptByteCount`` bytes. ``description`` and the
  /// bridged `NSError` leave that out. It is on one line: control characters are written as escapes.
  public var reason: String {
    let contents = contents
    return contents.excerpt.map { "\(contents.reason): \($0)" } ?? contents.reason
  }
  /// The reason without words of the body: what logs get.
  var loggedReason: String { contents.reason }
  /// The maximum length of the beginning of a body in ``reason``: 200 bytes.
  public static let excerptByteCount = 200
  /// The request, once it was built.
  public var request: HTTPRequest? {
    get { contents.request }
    set { contents.request = newValue }
  }
  /// The response with its body, as far as it had come.
  public var response: Response<Data>? {
    get { contents.response }
    set { contents.response = newValue }
  }
  /// What the exchange cost up to the failure; `nil` if it was never begun.
  public var metrics: Metrics? {
    get { contents.metrics }
    set { contents.metrics = newValue }
  }
  /// The error of the layer below.
  public var underlying: (any Error)? { contents.underlying }
  /// By whose fault it is, and what speaks for that.
  ///
  /// Of `network` errors a client's signals bring evidence; what else there is follows from domain and code.
  public var attribution: Attribution {
    get { contents.attribution ?? Attribution(domain, code) }
    set { contents.attribution = newValue }
  }
  /// The party that a transport has stated; `nil` if it follows from domain and code.
  var statedParty: Attribution.Party? { contents.attribution?.party }
  /// The code that the server's answer states, as it is written there: `1`, `E_BUSY`.
  public var serverCode: String? {
    get { contents.serverCode }
    set { contents.serverCode = newValue }
  }
  /// The text for people that the server's answer states, untouched; `nil` if it states none.
  ///
  /// ``message`` is the same, unless the app has words of its own for the code.
  public var serverMessage: String? {
    get { contents.serverMessage }
    set { contents.serverMessage = newValue }
  }
  /// How the request wants a person to be told of it; `nil` if it does not say.
  public var presentation: PresentationStyle? {
    get { contents.presentation }
    set { contents.presentation = newValue }
  }
  /// What the code means for the app, if an envelope's table says.
  public var meaning: Meaning? {
    get { contents.meaning }
    set { contents.meaning = newValue }
  }

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - domain: where it went wrong.
  ///   - code: what went wrong.
  ///   - message: what a person may read. Default, and for a blank one: words in the user's language.
  ///   - reason: what is wrong in a developer's words. Default: nothing more than the code.
  ///   - request: the request, once it was built. Default: `nil`.
  ///   - response: the response with its body, as far as it had come. Default: `nil`.
  ///   - metrics: what the exchange cost up to the failure. Default: `nil`.
  ///   - underlying: the error of the layer below. Default: `nil`.
  public init(
    _ domain: Domain, _ code: Code, message: String = "", reason: String = "", request: HTTPRequest? = nil,
    response: Response<Data>? = nil, metrics: Metrics? = nil, underlying: (any Error)? = nil
  ) {
    box = .full(
      Contents(
        domain: domain, code: code, message: message.allSatisfy(\.isWhitespace) ? nil : message,
        reason: reason.singleLine.shortened(to: 1_000), request: request, response: response,
        metrics: metrics ?? response?.metrics, underlying: underlying))
  }

  /// The HTTP status code of the response, if there was one.
  public var statusCode: Int? { response?.statusCode }

  /// The same error with other words for a person.
  func saying(_ message: String) -> NetworkError {
    var error = self
    error.contents.message = message
    return error
  }

  /// The same error with another reason.
  func because(_ reason: String) -> NetworkError {
    var error = self
    error.contents.reason = reason.singleLine.shortened(to: 1_000)
    return error
  }

  /// The same error with words of a body in its ``reason``, and in nothing that is logged.
  func quoting(_ excerpt: String) -> NetworkError {
    var error = self
    error.contents.excerpt = excerpt.singleLine.shortened(to: 1_000)
    return error
  }

  /// The same error with the request it belongs to, unless it names one already.
  package func blaming(_ request: HTTPRequest) -> NetworkError {
    var error = self
    error.request = error.request ?? request
    return error
  }
}
