import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// How deep values may be, on a thread with as little stack as those of Apple's systems have: 512 KiB.
struct ParameterDepthTests {
  /// ThreadSanitizer makes each frame about twice as large.
  private static let stackSize = (hasSymbol("__tsan_init") ? 4 : 1) * 512 * 1_024

  /// The error's reason, or that there was none, of something done on a thread of its own.
  private func outcome(_ work: @escaping @Sendable () throws -> Void) async -> String {
    do {
      try await onThread(stackByteCount: Self.stackSize, work)
      return "done"
    } catch {
      return (error as? NetworkError)?.reason ?? "\(error)"
    }
  }

  @Test func valuesUpToTheLimitAreWritten() async {
    let limit = ParameterRules.maximumDepth
    let outcome = await self.outcome {
      for parameters in [nested(limit, inArrays: true), nested(limit, inArrays: false)] {
        let pairs = try ParameterRules().pairs(parameters)
        expectEqual(pairs.count, 1)
        let json = try ParameterRules().json(parameters)
        expect(json.count > 2 * limit)
      }
    }
    expectEqual(outcome, "done")
  }

  @Test(arguments: [ParameterRules.maximumDepth + 1, 1_000, 2_000])
  func deeperValuesAreRefused(depth: Int) async {
    for inArrays in [true, false] {
      let pairs = await self.outcome { _ = try ParameterRules().pairs(nested(depth, inArrays: inArrays)) }
      let json = await self.outcome { _ = try ParameterRules().json(nested(depth, inArrays: inArrays)) }
      expect(pairs.hasSuffix(": nested deeper than \(ParameterRules.maximumDepth) levels"), "\(pairs)")
      expect(json.hasSuffix(": nested deeper than \(ParameterRules.maximumDepth) levels"), "\(json)")
    }
  }

  @Test func encodableValuesUpToTheLimitAreEncoded() async {
    let outcome = await self.outcome {
      let parameters = Parameters(Level(remaining: ParameterRules.maximumDepth - 1))
      let pairs = try ParameterRules().pairs(parameters)
      expectEqual(pairs.count, ParameterRules.maximumDepth)
    }
    expectEqual(outcome, "done")
  }

  @Test func deeperEncodableValuesAreRefused() async {
    for depth in [ParameterRules.maximumDepth, 1_000, 1_000_000] {
      let outcome = await self.outcome { _ = try Parameters(Level(remaining: depth)).object() }
      expect(
        outcome.hasPrefix("next.next."),
        "\(outcome)")
      expect(
        outcome.hasSuffix(": nested deeper than \(ParameterRules.maximumDepth) levels"),
        "\(outcome)")
    }
  }

  @Test func nestedContainersHaveTheSameLimit() async {
    for (depth, expected) in [
      (ParameterRules.maximumDepth - 3, "done"), (1_000, "nested deeper than \(ParameterRules.maximumDepth) levels"),
      (20_000, "nested deeper than \(ParameterRules.maximumDepth) levels"),
    ] {
      let outcome = await self.outcome { _ = try Parameters(["a": Containers(depth: depth)]).object() }
      expect(outcome.hasSuffix(expected), "\(outcome)")
    }
  }
}

/// Whether the process contains a function, such as one of a sanitizer.
private func hasSymbol(_ name: String) -> Bool {
  guard let program = dlopen(nil, RTLD_NOW) else { return false }
  defer { dlclose(program) }
  return dlsym(program, name) != nil
}

/// Arrays or objects inside each other, the parameters themselves counted.
private func nested(_ depth: Int, inArrays: Bool) -> Parameters {
  var value: ParameterValue = 1
  for _ in 1..<depth { value = inArrays ? [value] : ["o": value] }
  return ["a": value]
}

private struct Level: Encodable {
  let remaining: Int

  enum CodingKeys: CodingKey { case depth, next }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(remaining, forKey: .depth)
    if remaining > 0 { try container.encode(Level(remaining: remaining - 1), forKey: .next) }
  }
}

private struct Containers: Encodable {
  let depth: Int

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for _ in 0..<depth { container = container.nestedUnkeyedContainer() }
    try container.encode(1)
  }
}
