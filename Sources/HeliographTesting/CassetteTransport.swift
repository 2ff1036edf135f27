public import Foundation
public import Heliograph

/// A transport that replays recorded exchanges from a file, a *cassette*, and can record missing ones.
///
/// ```swift
/// let transport = try CassetteTransport(file: url, recording: URLSessionTransport())  // once, with the network
/// let replayed = try CassetteTransport(file: url)                                       // afterwards, without
/// ```
/// The file is JSON. Recording to it leaves it readable by its owner only (mode 0600). Secrets are replaced before an
/// exchange is written or compared: the values of ``/Heliograph/HTTPHeaders/secretNames``, and of header fields, query
/// items, form fields, multipart fields and JSON members with names such as `token` or `password`, and JSON Web Tokens.
/// This includes query items of URLs in fields such as `Location` and inside JSON, and JSON in lines or in events. A
/// body in another format, such as HTML, XML or malformed JSON, is replaced as a whole if it contains the name of a
/// secret or a JSON Web Token, and so is every compressed body of a request. Not recognized are any other secret
/// without a name, such as a token that is the whole body or a segment of a path, and one in a compressed response that
/// the transport has not decoded: check the file before you publish it.
///
/// Recorded responses remain decodable: a secret string is replaced by a placeholder, the same one in each response
/// with this secret while it is recorded, a secret number by another one and a UUID by another one. Booleans, `null`,
/// token counts, dates with a time, and numbers from 0 to 9 are kept, the latter not in an array, and not in an object
/// of several such numbers only, because they may be the digits of a secret. A member `code` is kept if the status is
/// an error, or if its value looks like an error code and a member such as `message` or `data` is present. Of a cookie
/// only the value is replaced; its `Expires` and `Max-Age` are left out unless they delete it, so a replayed cookie
/// does not expire.
///
/// A request matches an exchange with the same method, URL, body and `Range` field; streams are compared by length.
/// Neither the order of the members of JSON nor that of query items with different names makes a difference; JSON with
/// a number of 17 digits or more is compared as text, because the number may be rounded. Other header fields, and the
/// query items that an ``/Heliograph/HMACSigner`` adds, are not compared. Several matches are replayed in the order in
/// which their requests were sent; the last one repeats. The file has no secrets to compare: of requests that differ
/// only in secrets, the first one of a replay gets the responses to the first recorded one, even with another secret,
/// and so on. So equal requests that are in flight at once may get each other's responses, such as a 401 with the token
/// that a refresh has just replaced: in such a replay, send them one after another. If such a name, as `code` or `key`,
/// is that of ordinary data, this is the response to another request: give the name as `keeping:`. A request without a
/// match fails with `NetworkError.Code.unexpectedRequest`. A recording transport instead sends such a request, and also
/// a repeated one for which the file has no further exchange. Several transports of one process may record to one file
/// at once; several processes must not.
///
/// To extend a file whose responses contain secrets, remove it and record it as a whole: a secret of a replayed
/// response is a placeholder, which the server would not accept. A request with one in its URL, a header field, such as
/// `Cookie`, or a body in memory is therefore not sent, but fails with `NetworkError.Code.unexpectedRequest`; a number
/// in place of a secret one is not recognized.
///
/// Bodies are held in memory as a whole, and a file as a body is read for each request, also in a replay: a cassette is
/// for small bodies. Dates in responses are those of the recording.
///
/// An exchange that is cancelled after its head, such as an event stream of which the app takes three events, is
/// recorded as partial: an event stream up to its last complete event, JSON lines up to the last complete line, JSON if
/// it is whole, and no other body. Its replay does not complete: an event stream remains open, unless its only event
/// was incomplete, and any other response fails after the recorded part, unless the app cancels it again. A partial
/// response with a status of 2xx that is not an event stream is not replayed if the file also has a complete one with
/// this status, nor by a transport that records, which sends the request instead and does not record a second partial
/// one. Event streams are always replayed, because each one is a connection of its own: to record more events, remove
/// the exchange from the file.
public final class CassetteTransport: Transport {
  private let file: CassetteFile
  private let next: (any Transport)?
  private let tape: Guarded<CassetteTape>
  private let kept: Set<String>
  private let normalize: @Sendable (HTTPRequest) -> HTTPRequest

  /// Creates a transport that replays a file and, if it records, adds missing exchanges to it.
  ///
  /// - Parameters:
  ///   - file: The file of the exchanges. If the transport records, the file need not exist, and its folder is
  ///     created before the first request is sent.
  ///   - next: The transport for requests without a match, which are then recorded. Default: `nil`, replay only.
  ///   - kept: The names of header fields, query items, form fields, multipart fields and JSON members, in any case,
  ///     that are not those of secrets in this cassette, such as `code` of a country. Their values are compared and
  ///     stored, also if the names are among ``/Heliograph/HTTPHeaders/secretNames``; cookies, and secrets in the
  ///     values, are replaced nevertheless. Recording and replay need the same names. Default: none.
  ///   - compared: Returns a normalized request for comparison and recording, such as one without a random member in
  ///     the body, or with a significant header field moved to the query. The original is sent. Default: no changes.
  /// - Throws: A `client` error with the code ``/Heliograph/NetworkError/Code/invalidTransport`` if the file is missing
  ///   or malformed.
  public init(
    file: URL, recording next: (any Transport)? = nil, keeping kept: Set<String> = [],
    comparing compared: @escaping @Sendable (HTTPRequest) -> HTTPRequest = { $0 }
  ) throws(NetworkError) {
    self.file = CassetteFile(url: file)
    self.next = next
    self.kept = Set(kept.map { $0.lowercased() })
    normalize = compared
    do {
      tape = Guarded(CassetteTape(try self.file.exchanges(orNew: next != nil), isRecording: next != nil))
    } catch {
      throw NetworkError(
        .invalidTransport, reason: "cannot read the cassette \(file.lastPathComponent)", underlying: error)
    }
  }

  /// Whether requests may reach the network; always `false` without a recording transport.
  public var usesNetwork: Bool { next?.usesNetwork ?? false }

  /// Returns the recorded exchange, or sends the request and records it.
  ///
  /// - Parameter request: The request to replay or to record.
  /// - Returns: A signal of the exchange's events. A replayed response is sent on the subscriber's thread. A recorded
  ///   exchange is written when it completes, or when it is cancelled after its head. If it cannot be written, the
  ///   signal fails with ``/Heliograph/NetworkError/Code/invalidTransport``, unless it was cancelled.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred { [self] in
      let normalized = normalize(request)
      let plain = SecretRedaction.$keptNames.withValue(kept) { CassetteRequest(normalized) }
      let compared = tape.withLock { $0.comparable(plain) }
      if let exchange = tape.withLock({ $0.takeExchange(compared, repeatsLast: next == nil) }) {
        return replay(exchange, request)
      }
      guard let next else {
        let tape = tape.withLock { $0 }
        let reason = SecretRedaction.$keptNames.withValue(kept) { tape.reason(for: compared) }
        return .fail(NetworkError(.unexpectedRequest, reason: reason, request: request))
      }
      if request.hasPlaceholder {
        let reason = "the request has a placeholder of a replayed response: remove the file, and record it anew"
        return .fail(NetworkError(.unexpectedRequest, reason: reason, request: request))
      }
      do {
        return record(compared, try file.startRequest(), next.send(request), request)
      } catch {
        return .fail(cannotWrite(request, error))
      }
    }
  }

  private func replay(
    _ exchange: CassetteExchange, _ request: HTTPRequest
  ) -> Signal<TransportEvent, NetworkError> {
    let head = exchange.head(of: request)
    let events = Signal<TransportEvent, NetworkError>.from([.head(head), .body(exchange.body)])
    guard exchange.isPartial == true else { return events }
    // Only an event that was left out would be awaited in vain.
    if head.headers.isEventStream, exchange.omitsEnd != true || !exchange.body.isEmpty { return events.concat(.never) }
    let reason = "the recorded response is partial: its request was cancelled"
    return events.concat(.fail(NetworkError(.unexpectedRequest, reason: reason, request: request)))
  }

  private func record(
    _ compared: CassetteRequest, _ number: Int, _ events: Signal<TransportEvent, NetworkError>, _ request: HTTPRequest
  ) -> Signal<TransportEvent, NetworkError> {
    let received = Guarded<(head: HTTPResponse?, body: Data, isComplete: Bool)>((nil, Data(), false))
    let written = Once()
    let write = { @Sendable [self] () throws in
      let (head, body, isComplete) = received.withLock { $0 }
      guard let head, written.claim() else { return }
      if !isComplete, tape.withLock({ $0.hasPartial(compared, status: head.statusCode) }) { return }
      let known = tape.withLock { $0.variant(of: compared) }
      let exchange = try file.add(compared, number: number, variant: known) { variant, placeholders in
        SecretRedaction.$keptNames.withValue(kept) {
          CassetteExchange(
            compared.key, number: number, variant: variant, head, body, isPartial: !isComplete, &placeholders)
        }
      }
      tape.withLock { $0.add(exchange, for: compared) }
    }
    let writing = Signal<TransportEvent, NetworkError>.deferred { [self] in
      do {
        try write()
        return .empty
      } catch {
        return .fail(cannotWrite(request, error))
      }
    }
    return events.on(
      value: { event in
        received.withLock { received in
          switch event {
          case .head(let head): received.head = head
          case .body(let data): received.body.append(data)
          case .sent, .received, .source, .metrics: break
          }
        }
      },
      completion: { received.withLock { $0.isComplete = true } }
    ).concat(writing)
      // Before the next exchange starts, which may be replayed from the file; also between completion and writing.
      .on(dispose: { try? write() })
  }

  private func cannotWrite(_ request: HTTPRequest, _ error: any Error) -> NetworkError {
    NetworkError(
      .invalidTransport, reason: "cannot write the cassette \(file.url.lastPathComponent)", request: request,
      underlying: error)
  }
}
