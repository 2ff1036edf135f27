public import Foundation
public import Heliograph
public import Signals

/// A transport that replays recorded exchanges from a file, a *cassette*, and can record missing ones.
///
/// ```swift
/// let transport = try CassetteTransport(file: url, recording: URLSessionTransport())  // once, with the network
/// let replayed = try CassetteTransport(file: url)                                       // afterwards, without
/// ```
/// The file is JSON. Secrets are replaced before an exchange is written or compared: the values of
/// ``/Heliograph/HTTPHeaders/secretNames``, and header fields, query items (also in header fields such as `Location` and
/// in URLs inside JSON), form fields, multipart fields and JSON members (also one value per line, and in events) with names
/// such as `token` or `password`. Other texts, such as HTML or XML, are written as they are.
///
/// Responses are decoded as when they were recorded: a secret text becomes another text, which differs between exchanges,
/// a secret number becomes 0, and Booleans, `null`, counts of tokens and codes of errors in members called `code` are kept.
///
/// A request matches an exchange with the same method, URL and body, or the same length of a stream. Several matches are
/// replayed in the order of their recording; the last one repeats. A request without a match fails with
/// `NetworkError.Code.unexpectedRequest`. A recording transport sends it instead, and also a repeated request without a
/// further exchange in the file. Several transports of one process may record to one file at once; several processes must
/// not.
public final class CassetteTransport: Transport {
  private let file: URL
  private let next: (any Transport)?
  private let tape: Guarded<CassetteTape>

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - file: The file of the exchanges. It need not exist if the transport records.
  ///   - next: The transport for requests without a match, which are then recorded. Default: `nil`, replay only.
  /// - Throws: A `client` error with the code ``/Heliograph/NetworkError/Code/invalidTransport`` if the file is missing or malformed.
  public init(file: URL, recording next: (any Transport)? = nil) throws(NetworkError) {
    self.file = file
    self.next = next
    do {
      let isNew = next != nil && !FileManager.default.fileExists(atPath: file.path)
      tape = Guarded(CassetteTape(isNew ? [] : try CassetteTransport.exchanges(in: file)))
    } catch {
      throw NetworkError(
        .client, .invalidTransport, reason: "the cassette \(file.lastPathComponent) cannot be read", underlying: error)
    }
  }

  /// Whether requests may reach the network: only while recording.
  public var usesNetwork: Bool { next?.usesNetwork ?? false }

  /// Returns the recorded exchange, or sends the request and records it.
  ///
  /// - Parameter request: The request.
  /// - Returns: The signal. A replayed response is sent on the subscriber's thread. A recorded exchange is written when it
  ///   completes; a failure to write it fails the signal.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred { [self] in
      let key = CassetteExchange.Key(request)
      if let exchange = tape.withLock({ $0.takeExchange(key, repeatsLast: next == nil) }) {
        return .from([.head(exchange.head(of: request)), .body(exchange.body)])
      }
      guard let next else {
        return .fail(
          NetworkError(.client, .unexpectedRequest, reason: "the cassette has no \(request)", request: request))
      }
      return record(key, next.send(request), request)
    }
  }

  private func record(
    _ key: CassetteExchange.Key, _ events: Signal<TransportEvent, NetworkError>, _ request: HTTPRequest
  ) -> Signal<TransportEvent, NetworkError> {
    let received = Guarded<(head: HTTPResponse?, body: Data)>((nil, Data()))
    let ending = Signal<TransportEvent, NetworkError>.deferred { [self] in
      let (head, body) = received.withLock { $0 }
      guard let head else { return .empty }
      do {
        try save(key, head, body)
        return .empty
      } catch {
        return .fail(
          NetworkError(
            .client, .invalidTransport, reason: "the cassette \(file.lastPathComponent) cannot be written",
            request: request,
            underlying: error))
      }
    }
    return events.on(value: { event in
      received.withLock { received in
        switch event {
        case .head(let head): received.head = head
        case .body(let data): received.body.append(data)
        case .sent, .source, .metrics: break
        }
      }
    }).concat(ending)
  }

  private func save(_ key: CassetteExchange.Key, _ head: HTTPResponse, _ body: Data) throws {
    let own = tape.withLock { $0.exchanges }
    let exchange = try CassetteTransport.writing.withLock { _ in
      // Read anew: another transport may have recorded to the same file meanwhile.
      let exists = FileManager.default.fileExists(atPath: file.path)
      let others = exists ? try CassetteTransport.exchanges(in: file) : own
      let exchange = CassetteExchange(key, head, body, number: others.count + 1)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try encoder.encode(others + [exchange]).write(to: file, options: .atomic)
      return exchange
    }
    tape.withLock { $0.add(exchange) }
  }

  /// Held while a cassette is written.
  private static let writing = Guarded(())

  private static func exchanges(in file: URL) throws -> [CassetteExchange] {
    try JSONDecoder().decode([CassetteExchange].self, from: Data(contentsOf: file))
  }
}
