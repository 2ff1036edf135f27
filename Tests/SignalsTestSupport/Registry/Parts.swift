import HeliographTesting
import Signals
import TestSupport
import Testing

/// What the stages of one test are made with.
///
/// The test keeps it, so that nothing is deallocated by chance.
package final class Parts: Sendable {
  package let census = Census()
  package let side = Source<Token>()
  package let clock = VirtualScheduler()
  package let owner = Farewell {}
  private let currentLifetime = Later<Lifetime>()
  /// How often work was started, and torn down, below the stages that have closures for that.
  package let starts = Tally()
  package let teardowns = Tally()

  package init() {
    currentLifetime.value = Lifetime()
  }

  /// The lifetime that stages are tied to.
  package var lifetime: Lifetime { currentLifetime.value ?? Lifetime() }

  package func endLifetime() { currentLifetime.value = nil }

  package func token(_ number: Int = 0) -> Token { census.token(number) }

  /// The same closure, which captures a token.
  package func keep<each Input, Output>(
    _ body: @escaping @Sendable (repeat each Input) -> Output
  ) -> @Sendable (repeat each Input) -> Output {
    let token = token()
    return { (input: repeat each Input) in
      token.use()
      return body(repeat each input)
    }
  }

  /// A closure that returns the value it gets.
  package func same() -> @Sendable (Token) -> Token { keep { $0 } }

  /// A test that every value passes.
  package func yes() -> @Sendable (Token) -> Bool { keep { _ in true } }

  /// A closure that replaces a result by the value it gets.
  package func replace() -> @Sendable (inout Token, Token) -> Void {
    let token = token()
    return { result, value in
      token.use()
      result = value
    }
  }

  /// A closure that makes a signal of one value, a ready one or one with work of its own.
  package func echo(_ work: EchoWork = .unfused) -> @Sendable (Token) -> Signal<Token, Fault> {
    keep { value in
      switch work {
      case .ready: .just(value)
      case .fused:
        Signal { observer in
          observer.complete(with: value)
          return nil
        }
      case .unfused:
        Signal { observer in
          observer.send(value)
          observer.complete()
          return nil
        }
      }
    }
  }

  package enum EchoWork {
    case ready
    case fused
    case unfused
  }

  /// A closure that returns the signal of the side source, whatever it gets.
  package func aside<Input>() -> @Sendable (Input) -> Signal<Token, Fault> {
    keep { [side] (_: Input) in side.signal }
  }
}

extension Signal where Value == Token {
  package var numbers: Signal<Int, Failure> { map { $0.number } }
}

extension Signal where Failure == Never {
  /// The same signal among those that can fail.
  package var fallible: Signal<Value, Fault> { mapError { never -> Fault in } }
}
