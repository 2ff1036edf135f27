import Foundation
import Heliograph
import HeliographTesting
import Synchronization

/// The server's side of a signature, which it computes from the request as received.
final class SignatureGate: Sendable {
  /// The outcome of a request.
  enum Verdict: String {
    case genuine
    case unsigned
    case outdated
    case changed
    case repeated
  }

  /// The maximum difference of the clocks.
  static let tolerance: TimeInterval = 300

  private let key: Data
  // A server that runs for long would remove expired ones.
  private let nonces = Mutex<Set<String>>([])

  init(key: Data) {
    self.key = key
  }

  func judge(_ request: LoopbackRequest) -> Verdict {
    guard let signature = request.header("X-Signature"), let nonce = request.header("X-Nonce"),
      let seconds = request.header("X-Timestamp").flatMap({ Int64($0) })
    else { return .unsigned }
    let time = Date(timeIntervalSince1970: TimeInterval(seconds))
    guard abs(time.timeIntervalSinceNow) <= SignatureGate.tolerance else { return .outdated }
    guard let expected = self.signature(of: request, at: time, nonce), expected.isSame(as: signature) else {
      return .changed
    }
    // Last, so that a forgery cannot use up an honest customer's nonce.
    return nonces.withLock { $0.insert(nonce).inserted } ? .genuine : .repeated
  }

  /// What the signature has to be: the parts that came, signed once more under the time and nonce that came.
  private func signature(of request: LoopbackRequest, at time: Date, _ nonce: String) -> String? {
    // Scheme and host are not signed, so any will do.
    guard let url = URL(string: "http://localhost" + request.target) else { return nil }
    var draft = RequestDraft(method: request.method, url: url, body: .data(request.body))
    let signer = HMACSigner(key: key, location: .header, now: { time }, nonce: { nonce })
    guard (try? signer.sign(&draft)) != nil else { return nil }
    return draft.headers["X-Signature"]
  }
}

extension String {
  /// Whether the bytes are the same; it looks at all of them, so that the time it takes reveals nothing.
  fileprivate func isSame(as other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
