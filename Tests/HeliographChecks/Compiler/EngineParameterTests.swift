#if os(Linux)
import TestSupport
import Testing

/// The parameters of an engine are typed: the compiler refuses a value of another type.
struct EngineParameterTests {
  private func errors(_ call: String) async throws -> [String] {
    try await TypeChecker.diagnostics(
      in: """
        import Heliograph
        struct Leave: Codable, Sendable { var days: Int }
        struct LeaveEngine {
          let client: NetworkClient
          func submit(days: Int) -> Call<Leave> {
            client.call(Request(.post, "/leaves", body: .json(Leave(days: days))), as: Leave.self)
          }
        }
        @MainActor func use(_ engine: LeaveEngine) { _ = \(call) }
        """, "-parse-as-library")
  }

  @Test(
    "S0-28",
    arguments: [
      (#"engine.submit(days: "3")"#, "cannot convert value of type 'String' to expected argument type 'Int'"),
      (#"engine.submit(["days": 3])"#, "cannot convert value of type '[String : Int]' to expected argument type 'Int'"),
    ])
  func anotherTypeDoesNotCompile(_ call: String, _ expected: String) async throws {
    let errors = try await errors(call)
    expect(errors.contains { $0.contains(expected) }, "\(errors)")
    try await expectEqual(self.errors("engine.submit(days: 3)"), [])
  }
}
#endif
