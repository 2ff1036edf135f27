// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The part of Apple's Network that the sources use, declared from its documentation
// (https://developer.apple.com/documentation/network), so that `.ci/apple-check` can type-check on Linux what stands
// behind `canImport(Network)`. It is never linked into anything. `Sendable` is declared only where every SDK has it.

public import Dispatch

/// What is known about a way that packets can take.
public struct NWPath: Equatable, Sendable {
  /// Whether the way can be taken.
  public enum Status: Sendable {
    case satisfied
    case unsatisfied
    case requiresConnection
  }

  public var status: NWPath.Status { .satisfied }

  public var isExpensive: Bool { false }

  public var isConstrained: Bool { false }

  public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { false }
}

public final class NWInterface {
  public enum InterfaceType: Sendable {
    case other
    case wifi
    case cellular
    case wiredEthernet
    case loopback
  }
}

/// Watches the default way out.
public final class NWPathMonitor {
  public init() {}

  @preconcurrency public final var pathUpdateHandler: (@Sendable (NWPath) -> Void)?

  public final func start(queue: DispatchQueue) {}

  public final func cancel() {}
}
