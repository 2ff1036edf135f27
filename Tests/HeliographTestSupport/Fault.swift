import Foundation
import Heliograph
import HeliographTesting

/// What a server may do wrong, or right, and what has to come of it.
package struct Fault: Sendable, CustomStringConvertible {
  /// How an exchange has to end.
  package enum Ending: Hashable, Sendable {
    /// With a response of this status and body.
    case response(Int, String)
    /// With an error of the `network` domain, having kept this much of the body; `nil` where no head had come.
    case failure(NetworkError.Code, kept: String?)
  }

  package let name: String
  package let ending: Ending
  package let answer: @Sendable () -> LoopbackResponse

  package init(name: String, ending: Ending, answer: @escaping @Sendable () -> LoopbackResponse) {
    self.name = name
    self.ending = ending
    self.answer = answer
  }

  package var description: String { name }

  private static func bad(
    _ name: String, _ code: NetworkError.Code, kept: String? = nil, _ steps: LoopbackResponse.Step...
  ) -> Fault {
    Fault(name: name, ending: .failure(code, kept: kept)) { .script(steps) }
  }

  private static func good(_ name: String, _ body: String = "hello", _ steps: LoopbackResponse.Step...) -> Fault {
    Fault(name: name, ending: .response(200, body)) { .script(steps) }
  }

  private static let head = "HTTP/1.1 200 OK\r\n"
  private static let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"

  private static let plain = String(decoding: Compressed.plain, as: UTF8.self)

  private static func long(_ count: Int) -> String { String(repeating: "a", count: count) }

  private static func coded(_ coding: String, _ body: Data) -> [LoopbackResponse.Step] {
    [.text(head + "Content-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"), .bytes(body)]
  }

  /// Answers that are right, in every framing there is.
  package static let goodOnes: [Fault] = [
    good("with a length", "hello", .text(head + "Content-Length: 5\r\n\r\nhello")),
    good("in chunks", "hello", .text(chunked + "2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\n\r\n")),
    good("in chunks with a trailer", "hello", .text(chunked + "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n")),
    good("to the close", "hello", .text(head + "\r\nhello"), .close),
    good("without a body", "", .text(head + "Content-Length: 0\r\n\r\n")),
    good(
      "after a hint", "hello",
      .text("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head + "Content-Length: 5\r\n\r\nhello")),
    good(
      "drop by drop", "hello", .text(head), .delay(.milliseconds(5)), .text("Content-Length: 5\r\n\r\nhe"),
      .delay(.milliseconds(5)), .text("llo")),
    good("closed afterwards", "hello", .text(head + "Content-Length: 5\r\n\r\nhello"), .close),
    good("closed, as announced", "hello", .text(head + "Connection: close\r\nContent-Length: 5\r\n\r\nhello"), .close),
    Fault(name: "gzip", ending: .response(200, plain)) {
      .script(coded("gzip", Compressed.gzip))
    },
    Fault(name: "gzip of two members", ending: .response(200, "first,second")) {
      .script(coded("gzip", Compressed.gzipOfTwoMembers))
    },
    Fault(name: "gzip of two members, byte by byte", ending: .response(200, "first,second")) {
      let body = Compressed.gzipOfTwoMembers
      return .script(coded("gzip", body).dropLast() + body.map { .bytes(Data([$0])) })
    },
    Fault(name: "deflate", ending: .response(200, plain)) {
      .script(coded("deflate", Compressed.zlib))
    },
    Fault(name: "identity and gzip", ending: .response(200, plain)) {
      .script(coded("identity, gzip", Compressed.gzip))
    },
    Fault(name: "gzip and then deflate", ending: .response(200, plain)) {
      .script(coded("gzip , Deflate", Compressed.gzipInZlib))
    },
    Fault(name: "a coding that was not offered, of no body", ending: .response(200, "")) {
      .script(coded("snappy", Data()))
    },
    Fault(name: "bare deflate", ending: .response(200, plain)) {
      .script(coded("deflate", Compressed.bareDeflate))
    },
    good("with its length twice", "hello", .text(head + "Content-Length: 5, 5\r\nContent-Length: 5\r\n\r\nhello")),
    Fault(name: "an empty gzip body", ending: .response(200, "")) { .script(coded("gzip", Data())) },
    Fault(name: "a body after 204", ending: .response(204, "")) {
      .script([.text("HTTP/1.1 204 No Content\r\n\r\nhello")])
    },
  ]

  /// Answers that are wrong; each must be an error that says so.
  package static let badOnes: [Fault] = [
    bad("nothing at all", .connectionLost, .close),
    bad("a reset at once", .connectionLost, .reset),
    bad("a cut status line", .connectionLost, .text("HTTP/1.1 20"), .close),
    bad("a cut head", .connectionLost, .text(head + "Content-Length: 5\r\n"), .close),
    bad("a reset in the head", .connectionLost, .text(head + "X-A: 1\r\n"), .reset),
    bad("a cut body", .connectionLost, kept: "he", .text(head + "Content-Length: 5\r\n\r\nhe"), .close),
    bad("a reset in the body", .connectionLost, kept: "he", .text(head + "Content-Length: 5\r\n\r\nhe"), .reset),
    bad("too long a body", .invalidResponse, kept: "hello", .text(head + "Content-Length: 5\r\n\r\nhello, world")),
    bad("a body where there is none", .invalidResponse, kept: "", .text(head + "Content-Length: 0\r\n\r\nhello")),
    bad("a cut chunk", .connectionLost, kept: "he", .text(chunked + "5\r\nhe"), .close),
    bad("no last chunk", .connectionLost, kept: "hello", .text(chunked + "5\r\nhello\r\n"), .close),
    bad("a wrong chunk", .invalidResponse, kept: "he", .text(chunked + "2\r\nhe\r\nxyz\r\n"), .close),
    bad("more after the last chunk", .invalidResponse, kept: "he", .text(chunked + "2\r\nhe\r\n0\r\n\r\nmore")),
    bad(
      "another protocol, unasked", .invalidResponse, .text("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
      .hold),
    bad("no HTTP", .invalidResponse, .text("SSH-2.0-OpenSSH_9.2\r\n"), .close),
    bad("four digits", .invalidResponse, .text("HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n")),
    bad("letters for a status", .invalidResponse, .text("HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n")),
    bad("a line without a colon", .invalidResponse, .text(head + "Nonsense\r\nContent-Length: 0\r\n\r\n")),
    bad("HTTP/0.9", .invalidResponse, .text("<html>hello</html>"), .close),
    bad("a NUL in a value", .invalidResponse, .text(head + "X-A: a\0b\r\nContent-Length: 0\r\n\r\n")),
    bad("too long a line", .responseTooLarge, .text(head + "X-A: \(long(150_000))\r\nContent-Length: 0\r\n\r\n")),
    bad(
      "too long a trailer", .responseTooLarge, kept: "hello",
      .text(chunked + "5\r\nhello\r\n0\r\nX-A: \(long(70_000))\r\n\r\n")),
    bad("two lengths", .invalidResponse, .text(head + "Content-Length: 5\r\nContent-Length: 7\r\n\r\nhello!!")),
    bad("two lengths in a line", .invalidResponse, .text(head + "Content-Length: 5, 7\r\n\r\nhello, w"), .close),
    bad("a length and more", .invalidResponse, .text(head + "Content-Length: 5x\r\n\r\nhello")),
    bad("a length below zero", .invalidResponse, .text(head + "Content-Length: -5\r\n\r\nhello"), .close),
    bad(
      "a length beyond all", .invalidResponse, .text(head + "Content-Length: 199999999999999999999\r\n\r\nhello"),
      .close),
    bad("a chunk beyond all", .invalidResponse, kept: "", .text(chunked + "FFFFFFFFFFFFFFFFFF\r\nhello"), .close),
    bad("a chunk that does not end", .invalidResponse, kept: "hello", .text(chunked + "5\r\nhello, w\r\n"), .close),
    bad(
      "a trailer without a colon", .invalidResponse, kept: "hello",
      .text(chunked + "5\r\nhello\r\n0\r\nnonsense\r\n\r\n")),
    bad("a folded length", .invalidResponse, .text(head + "Content-Length: 5\r\n 0\r\n\r\nhello"), .close),
    Fault(name: "a cut gzip body", ending: .failure(.undecodableBody, kept: plain)) {
      .script(coded("gzip", Compressed.gzip.dropLast(9)))
    },
    Fault(name: "a cut second member", ending: .failure(.undecodableBody, kept: "first,second")) {
      .script(coded("gzip", Compressed.gzipOfTwoMembers.dropLast(9)))
    },
    Fault(name: "a gzip body and then the connection cut", ending: .failure(.connectionLost, kept: "first,second")) {
      .script(
        coded("gzip", Compressed.gzipOfTwoMembers).dropLast() + [
          .bytes(Compressed.gzipOfTwoMembers.dropLast(9)), .close,
        ])
    },
    Fault(name: "a broken gzip body", ending: .failure(.undecodableBody, kept: "")) {
      .script(coded("gzip", Compressed.gzip.prefix(10) + Data(repeating: 0xFF, count: 20)))
    },
    Fault(name: "a wrong checksum", ending: .failure(.undecodableBody, kept: plain)) {
      .script(coded("gzip", Compressed.gzip.dropLast(8) + Data(count: 4) + Compressed.gzip.suffix(4)))
    },
    Fault(name: "more after gzip", ending: .failure(.undecodableBody, kept: plain)) {
      .script(coded("gzip", Compressed.gzip + Data("more".utf8)))
    },
    Fault(name: "gzip that is none twice", ending: .failure(.undecodableBody, kept: "")) {
      .script(coded("gzip, gzip", Compressed.gzip))
    },
    Fault(name: "a coding that was not offered", ending: .failure(.undecodableBody, kept: "")) {
      .script(coded("gzip, compress", Compressed.gzip))
    },
    Fault(name: "more after deflate", ending: .failure(.undecodableBody, kept: plain)) {
      .script(coded("deflate", Compressed.zlib + Data("more".utf8)))
    },
  ]
}
