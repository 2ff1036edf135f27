import HeliographTesting
import Signals
import TestSupport

/// Runs an operator over a source and into a raw recorder, and finds what no operator may do.
package struct RawTrial {
  package enum Script: CaseIterable {
    /// Every kind of end, several times, with values between.
    case everyEnd
    case failureFirst
    case disposal
    case disposalInHandler
    /// As before, with a source that sends all it has when it is subscribed to.
    case disposalInHandlerOfSynchronousSource
  }

  package let parts = Parts()
  package let source = Source<Token>()
  package let script: Script

  package init(_ script: Script) {
    self.script = script
  }

  private var isDisposed: Bool { script != .everyEnd && script != .failureFirst }

  /// Runs the script; returns the recorder of what came of it.
  package func run(_ transformation: Stage.Transformation) -> RawRecorder<Int, Fault> {
    let isInHandler = script == .disposalInHandler || script == .disposalInHandlerOfSynchronousSource
    let isSynchronous = script == .disposalInHandlerOfSynchronousSource
    let tokens = (1...5).map { parts.token($0) }
    let signal = transformation(isSynchronous ? .from(tokens) : source.signal, parts)
    let recorder = RawRecorder(signal.numbers, disposingAt: { _ in isInHandler })
    // Repeatedly: retries, replacements and queued inners subscribe again.
    for round in 1...40 where round <= 4 || !isQuiet(recorder) {
      source.send(parts.token(round))
      parts.side.send(parts.token(10 + round))
      switch script {
      case .disposal: recorder.dispose()
      case .failureFirst: fail()
      default: break
      }
      source.complete(with: parts.token(20))
      parts.side.complete(with: parts.token(30))
      fail()
      source.complete()
      parts.side.complete()
      parts.clock.run(limit: 100)
    }
    return recorder
  }

  private func isQuiet(_ recorder: RawRecorder<Int, Fault>) -> Bool {
    isDisposed || (recorder.hasEnded && source.isIdle && parts.side.isIdle)
  }

  private func fail() {
    source.fail(.broken)
    parts.side.fail(.broken)
  }

  /// What is wrong after the script.
  package func violations(_ recorder: RawRecorder<Int, Fault>) -> [String] {
    var result = recorder.violations
    if !isDisposed && !recorder.hasEnded { result.append("no end") }
    // What ended or was disposed is disposed once more, to no effect.
    recorder.dispose()
    if source.teardownCount != source.subscriptionCount {
      result.append("\(source.teardownCount) teardowns of \(source.subscriptionCount) subscriptions")
    }
    if parts.side.teardownCount != parts.side.subscriptionCount { result.append("the side source is not idle") }
    let (starts, teardowns) = (parts.starts.count, parts.teardowns.count)
    if starts != teardowns { result.append("\(teardowns) teardowns of \(starts) starts") }
    return result
  }

  /// Runs every script; returns what is wrong.
  package static func violations(of transformation: Stage.Transformation) -> [String] {
    Script.allCases.flatMap { script in
      let trial = RawTrial(script)
      return trial.violations(trial.run(transformation)).map { "\(script): \($0)" }
    }
  }
}
