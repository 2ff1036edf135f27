import Foundation

/// The events of a descriptor: those of interest, or those reported.
struct Readiness: OptionSet, Sendable {
  let rawValue: UInt8

  static let readable = Readiness(rawValue: 1)
  static let writable = Readiness(rawValue: 2)
  /// The peer has closed, by FIN or RST; an abort is reported even without interest in it.
  static let hangUp = Readiness(rawValue: 4)
}

/// A level-triggered `poll(2)` set of descriptors, used by one thread.
///
/// A wait is O(n) in the number of descriptors, about 0.1 ms for 1,000. Swift's modules for Glibc and Musl lack
/// `epoll`.
struct Poller {
  private var entries: [pollfd] = []
  private var tokens: [Int] = []
  private var positions: [Int: Int] = [:]

  mutating func add(_ descriptor: Int32, token: Int, for interest: Readiness) {
    positions[token] = entries.count
    entries.append(pollfd(fd: descriptor, events: Self.events(interest), revents: 0))
    tokens.append(token)
  }

  mutating func update(token: Int, for interest: Readiness) {
    guard let position = positions[token] else { return }
    entries[position].events = Self.events(interest)
  }

  mutating func remove(token: Int) {
    guard let position = positions.removeValue(forKey: token) else { return }
    let last = entries.count - 1
    if position < last {
      entries.swapAt(position, last)
      tokens.swapAt(position, last)
      positions[tokens[position]] = position
    }
    entries.removeLast()
    tokens.removeLast()
  }

  /// Waits for a maximum number of milliseconds, -1 for no limit, and returns each ready descriptor once.
  mutating func wait(milliseconds: Int32) -> [(token: Int, readiness: Readiness)] {
    let limit =
      entries.contains { $0.events == Self.hangUpEvents } ? Self.limit(whileOnlyHangUps: milliseconds) : milliseconds
    let readyCount = entries.withUnsafeMutableBufferPointer { poll($0.baseAddress, numericCast($0.count), limit) }
    guard readyCount > 0 else { return [] }
    return zip(tokens, entries).compactMap { token, entry in
      entry.revents == 0 ? nil : (token, Self.readiness(entry.revents))
    }
  }

  #if os(Linux)
  // POLLRDHUP, which the headers declare only with `_GNU_SOURCE`.
  private static let hangUpEvents: Int16 = 0x2000

  private static func limit(whileOnlyHangUps milliseconds: Int32) -> Int32 { milliseconds }
  #else
  // On Darwin, POLLHUP alone reports the peer's FIN. But if unread data is buffered, a FIN that arrives during the call
  // is missed. The call is therefore repeated at intervals.
  private static let hangUpEvents = Int16(POLLHUP)

  private static func limit(whileOnlyHangUps milliseconds: Int32) -> Int32 {
    milliseconds < 0 ? 50 : min(milliseconds, 50)
  }
  #endif

  private static func events(_ interest: Readiness) -> Int16 {
    var events: Int16 = 0
    if interest.contains(.readable) { events |= Int16(POLLIN) }
    if interest.contains(.writable) { events |= Int16(POLLOUT) }
    if interest.contains(.hangUp) { events |= hangUpEvents }
    return events
  }

  private static func readiness(_ events: Int16) -> Readiness {
    var readiness: Readiness = []
    if events & Int16(POLLIN) != 0 { readiness.insert(.readable) }
    if events & Int16(POLLOUT) != 0 { readiness.insert(.writable) }
    if events & (hangUpEvents | Int16(POLLHUP | POLLERR | POLLNVAL)) != 0 { readiness.insert(.hangUp) }
    return readiness
  }
}
