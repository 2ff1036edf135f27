import Foundation
import Testing

/// What the reviewer of the first day typed first: one test for each guess that works, which shows that it compiles.
@Suite struct FirstGuessTests {
  /// The guesses that do not work, each with what there is and the reason.
  static let kept = [
    "case .response(let r)": "`case .finished(let r)`, `transfer.response`: the case is a name of api.md",
    #"["Authorization": .basic(user:password:)]"#:
      "`[.authorization(username:password:)]`, or `$0.middleware = [.basic(user:password:)]`: a value is text",
    "AnyCancellable": "`DisposeBag`: a type of that name would collide with Combine's in every file that imports both",
    "then { user in … }": "`flatMap`: `then` drops values, as in ReactiveSwift",
    "subject.debounce": "`subject.signal.debounce`: a subject is the input, its signal the output",
  ]

  @Test func atLeastFiveInSixWork() throws {
    let files = ["Calls", "Clients", "Signals"].map { "Tests/HeliographTests/FirstDay/FirstGuesses+\($0).swift" }
    let count = try files.map { try sourceText($0).ranges(of: "@Test(").count }.reduce(0, +)
    #expect(count == 64 && Self.kept.count == 5)
    #expect(count * 6 >= (count + Self.kept.count) * 5)
  }
}
