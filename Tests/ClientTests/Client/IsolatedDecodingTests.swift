import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

// Older compilers have no isolated conformances.
#if compiler(>=6.2)
/// A body that waits for the main actor is not decoded there once its request has ended.
@MainActor struct IsolatedDecodingTests {
  @MainActor private struct Name: @MainActor Decodable {
    let name: String

    init(from decoder: any Decoder) throws {
      name = try decoder.singleValueContainer().decode(String.self)
      IsolatedDecodingTests.decoded.append(name)
    }
  }

  /// The decoded names of all tests.
  private static var decoded: [String] = []

  private struct Cancelling: RequestFilter {
    func filter(_ draft: inout RequestDraft) throws(NetworkError) { withUnsafeCurrentTask { $0?.cancel() } }
  }

  @Test(arguments: [false, true]) func aTaskThatIsCancelledWhileItsRequestIsBuiltSendsNothing(_ isUpload: Bool) async {
    let kit = TestKit { $0.filters = [Cancelling()] }
    kit.stub.on(.post, "/name", .json(#""ann""#))
    let client = kit.client
    let task = Task { () async -> NetworkError.Code? in
      do throws(NetworkError) {
        if isUpload {
          _ = try await client.upload(Request(.post, "/name"), as: Name.self)
        } else {
          _ = try await client.send(Request(.post, "/name"), as: Name.self)
        }
        return nil
      } catch {
        return error.code
      }
    }
    await expectEqual(task.value, .cancelled)
    expect(kit.stub.requests.isEmpty)
  }

  private struct SlowMonitor: Monitor {
    let hasEnded = CurrentValue(false)

    func observe(_ event: MonitorEvent) {
      // sleeps: a value that precedes the end would reach the test meanwhile
      if case .attemptEnded = event { Thread.sleep(forTimeInterval: 0.05) }
      if case .ended = event { hasEnded.send(true) }
    }
  }

  @Test func theRequestEndsBeforeItsValueIsReturned() async throws {
    let monitor = SlowMonitor()
    let kit = TestKit {
      $0.monitors = [monitor]
      $0.processing = .global
    }
    kit.stub.on(.get, "/name", .json(#""ann""#))
    _ = try await kit.client.value(of: "/name", as: Name.self)
    expect(monitor.hasEnded.value)
    monitor.hasEnded.send(false)
    _ = try await kit.client.value(of: "/name", as: String.self)
    expect(monitor.hasEnded.value)
  }

  enum End: CaseIterable, Sendable { case none, contextChanged, cancelled }

  @Test(arguments: End.allCases, [false, true])
  func aBodyIsDecodedOnlyForARequestInFlight(_ end: End, _ isUpload: Bool) async {
    let account = CurrentValue<String?>("ann")
    let transport = HandTransport()
    let client = TestKit {
      $0.account = account
      $0.transport = transport
    }.client
    let task = Task { () async -> NetworkError.Code? in
      do throws(NetworkError) {
        if isUpload {
          _ = try await client.upload(Request(.get, "/name"), as: Name.self)
        } else {
          _ = try await client.send("/name", as: Name.self)
        }
        return nil
      } catch {
        return error.code
      }
    }
    await until { transport.requests.count == 1 }
    let name = "\(end) \(isUpload)"
    // The main actor is busy until the end of the request.
    transport.answer(0, "\"\(name)\"")
    switch end {
    case .none: break
    case .contextChanged: account.value = nil
    case .cancelled: task.cancel()
    }
    let code = await task.value
    let expected: NetworkError.Code? =
      switch end {
      case .none: nil
      case .contextChanged: .contextChanged
      case .cancelled: .cancelled
      }
    expectEqual(code, expected)
    expectEqual(Self.decoded.filter { $0 == name }.count, end == .none ? 1 : 0)
  }

  /// Cannot be sent between threads.
  private final class Cart: Decodable, EmptyBodyDecodable {
    static var emptyBodyValue: Cart { Cart() }
    var count = 0
  }

  @Test(arguments: ["", "null", " null\n"]) func aBodyOfNullGivesTheValueOfAnEmptyOne(_ body: String) async throws {
    let stub = StubTransport()
    stub.on(.get, "/cart", .json(body))
    let client = TestKit { $0.transport = stub }.client
    try expectEqual(await client.send("/cart", as: Cart.self).value.count, 0)
    try expectEqual(await client.upload(Request(.get, "/cart"), as: Cart.self).value.count, 0)
  }
}
#endif
