import Foundation

/// Any bytes as an event stream and as lines: the same in pieces as in one, and nothing that a field cannot contain.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEvents(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Data(UnsafeBufferPointer(start: start, count: count))
  // The first bytes are also the lengths of the pieces.
  let lengths = bytes.prefix(16).map { Int($0 % 9) } + [1]
  var pieces: [Data] = []
  var rest = bytes
  while !rest.isEmpty {
    let piece = rest.prefix(lengths[pieces.count % lengths.count])
    pieces.append(piece)
    rest = rest.dropFirst(piece.count)
  }
  let (whole, cut) = (events([bytes]), events(pieces))
  expect(whole == cut, "other events in pieces")
  expect(whole.allSatisfy { !$0.type.isEmpty && $0.id != "" }, "an empty type or ID")
  expect(whole.allSatisfy { !$0.data.utf8.contains(0x0D) }, "a carriage return in data")
  expect(whole.allSatisfy { $0.id?.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D } != true }, "an impossible ID")
  let found = lines([bytes])
  expect(found == lines(pieces), "other lines in pieces")
  expect(found.allSatisfy { !$0.contains(0x0A) }, "a line break in a line")
  return 0
}

private func events(_ pieces: [Data]) -> [ServerSentEvent] {
  var parser = EventParser(limit: 64)
  var events: [ServerSentEvent] = []
  for piece in pieces {
    parser.append(piece)
    do throws(NetworkError) {
      while let event = try parser.next() { events.append(event) }
    } catch {
      return events
    }
  }
  return events
}

private func lines(_ pieces: [Data]) -> [Data] {
  var splitter = LineSplitter(.lineFeeds, limit: 64)
  var lines: [Data] = []
  do throws(NetworkError) {
    for piece in pieces {
      splitter.append(piece)
      while let line = try splitter.next() { lines.append(line) }
    }
    if let line = try splitter.finish() { lines.append(line) }
  } catch {
    return lines
  }
  return lines
}
