import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What is alive after requests have ended, for each feature of a client alone and for each pair of features.
struct LifetimeMatrixTests {
  /// The folder of downloads, which is removed with the suite.
  private let folder = StoreFolder()

  init() throws { try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true) }

  /// Alone with every end, and in each pair with the features after it.
  @Test("S2-24 S2-11", arguments: ClientFeature.allCases)
  func aRequestThatHasEndedIsFreedAndThenItsClient(_ feature: ClientFeature) async throws {
    for end in RequestEnd.allCases { try await check([feature], end) }
    let others = ClientFeature.allCases.drop { $0 != feature }.dropFirst().filter { feature.allows($0) }
    for (index, other) in others.enumerated() {
      // Half of the pairs fail by a status, the others by the transport.
      for end in [.success, index.isMultiple(of: 2) ? .status : .failure, .disposal, .identityChange] as [RequestEnd] {
        try await check([feature, other], end)
      }
    }
  }

  /// The addresses of services are not those of the server.
  @Test("S2-24 S2-11", arguments: ClientFeature.allCases.filter { $0 != .environments })
  func aRequestOverAConnectionIsFreed(_ feature: ClientFeature) async throws {
    let server = try LoopbackServer()
    for end in [.success, .status, .disposal] as [RequestEnd] { try await check([feature, .upload], end, server) }
  }

  private func check(
    _ features: Set<ClientFeature>, _ end: RequestEnd, _ server: LoopbackServer? = nil
  ) async throws {
    let left = try await leftovers(features, end, server)
    try require(left.isEmpty, "\(left) of \(features.map(\.rawValue)) after \(end)")
  }

  /// Returns the names of what outlives a request, or its client.
  private func leftovers(
    _ features: Set<ClientFeature>, _ end: RequestEnd, _ server: LoopbackServer?
  ) async throws -> [String] {
    if end == .identityChange, features.isDisjoint(with: [.account, .environments]) { return [] }
    let (requests, clients) = (Leftovers(), Leftovers())
    do {
      let rig = try LifetimeRig(features, clients, requests: requests, folder: folder.url, server: server)
      // Stores a response.
      if features.contains(where: { $0.cachePolicy != nil }) { await rig.run(.success) }
      await rig.run(end)
      let left = await remaining(requests, rig)
      if !left.isEmpty { return left }
    }
    return await remaining(clients, nil)
  }

  /// Waits until all is deallocated, which a thread may do a little after its last event; returns the names of the rest.
  private func remaining(_ leftovers: Leftovers, _ rig: LifetimeRig?) async -> [String] {
    let start = ContinuousClock.now
    await until {
      rig?.settle()
      return leftovers.names.isEmpty || start.duration(to: .now) > .seconds(30)
    }
    return leftovers.names
  }
}
