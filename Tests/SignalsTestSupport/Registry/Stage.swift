import HeliographTesting
import Signals
import TestSupport
import Testing

/// One operator as the tests that hold for every operator apply it: a transformation that composes with the others.
///
/// To add an operator, add one line to the fitting list: `Stage("pairwise()") { source, _ in source.pairwise().map { $1 } }`.
/// Every closure that it takes must capture a token: `parts.keep { … }`.
package struct Stage: Sendable, CustomTestStringConvertible {
  package typealias Transformation = @Sendable (Signal<Token, Fault>, Parts) -> Signal<Token, Fault>

  /// When it sends.
  package enum Habit {
    /// At once, for each value that it gets.
    case prompt
    /// After time has passed, its source has ended or its side source has sent.
    case patient
  }

  /// What it does with its source beyond one subscription.
  package enum Reuse {
    /// Nothing.
    case none
    /// It subscribes again, so a subscription keeps the source's signal, and with it a subject.
    case resubscribes
    /// Its subscriptions share one of the source.
    case shares
  }

  /// The operator, as `name(label:)`; `Signal.name(label:)` for a static one.
  package let name: String
  package let testDescription: String
  package let habit: Habit
  package let reuse: Reuse
  package let apply: Transformation

  /// Describes a stage.
  ///
  /// - Parameters:
  ///   - name: the operator it covers.
  ///   - variant: tells it from other stages of the same operator.
  ///   - habit: when it sends. Default: at once.
  ///   - reuse: what else it does with its source. Default: nothing.
  ///   - apply: applies the operator.
  package init(
    _ name: String, _ variant: String = "", _ habit: Habit = .prompt, _ reuse: Reuse = .none,
    _ apply: @escaping Transformation
  ) {
    self.name = name
    testDescription = variant.isEmpty ? name : "\(name) \(variant)"
    self.habit = habit
    self.reuse = reuse
    self.apply = apply
  }

  package static let all =
    transforming + limiting + creating + flattening + combining + timing + recovering + delivering
  package static let prompt = all.filter { $0.habit == .prompt }

  /// Public operators without a stage, each with the reason.
  package static let exceptions = [
    "subscribeOnMain(onValue:onFailure:onCompletion:)": "it subscribes",
    "Signal.task(priority:_:)": "its work is a task, which a test has to await",
    "values": "an async sequence",
    "values(buffering:)": "an async sequence",
    "assign(to:on:)": "it subscribes",
    "Signal.observing(_:)": "its source is a model on the main actor",
    "value()": "async",
    "publisher": "Combine's",
  ]
}

/// Two stages, one after the other.
package func * (first: Stage, second: Stage) -> Stage.Transformation {
  { source, parts in second.apply(first.apply(source, parts), parts) }
}
