#if canImport(Glibc) || canImport(Musl)
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A network of its own, with nothing in it but a loopback that is down; it ends with its last reference.
///
/// Only an administrator may make one: network_namespaces(7).
package final class NetworkNamespace: Sendable {
  private static let nsenter = Certificates.find("nsenter")
  /// Whether there are links of the kind that a cable is between.
  package static let hasCables = canAddLink(of: "veth")
  /// A kind of link that the kernel knows: not every one is built with all.
  private static let linkKind = canAddLink(of: "dummy") ? "dummy" : hasCables ? "veth peer name d1" : nil
  package static var isAvailable: Bool { nsenter != nil && linkKind != nil }

  /// Holds the namespace open.
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Makes one and runs something on a thread that is inside.
  package static func make<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws -> (NetworkNamespace, Value) {
    try await withCheckedThrowingContinuation { continuation in
      // A thread of its own: it stays inside, and must not do other work later.
      let thread = Thread {
        continuation.resume(with: Result { (try enter(), body()) })
      }
      thread.start()
    }
  }

  /// Runs something on a thread that is inside.
  package func inside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { [self] in
        continuation.resume(
          with: Result {
            guard let symbol = dlsym(nil, "setns") else { throw CocoaError(.featureUnsupported) }
            let setns = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
            guard setns(descriptor, Self.kind) == 0 else { throw POSIXError(.EPERM) }
            return body()
          })
      }
    }
  }

  /// CLONE_NEWNET.
  private static let kind: Int32 = 0x4000_0000

  private static func enter() throws -> NetworkNamespace {
    // Swift's module for Glibc lacks it, and `setns`.
    guard let symbol = dlsym(nil, "unshare") else { throw CocoaError(.featureUnsupported) }
    let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
    guard unshare(kind) == 0 else { throw POSIXError(.EPERM) }
    let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(.ENOENT) }
    return NetworkNamespace(descriptor: descriptor)
  }

  /// Adds the link `d0`, which is down.
  package func addLink() throws { try run("ip link add d0 type \(Self.linkKind ?? "dummy")") }

  /// Brings `d0` up, and whatever is at the other end.
  package func raiseLink() throws { try run("ip link set d0 up; ! ip link show d1 2> /dev/null || ip link set d1 up") }

  /// Runs a shell's script inside.
  package func run(_ script: String) throws {
    let arguments = ["--net=/proc/\(getpid())/fd/\(descriptor)", "/bin/sh", "-ec", Self.path + script]
    guard let nsenter = Self.nsenter, try Self.status(of: nsenter, arguments) == 0 else {
      throw CocoaError(.executableLoad)
    }
  }

  /// `ip` is where only an administrator's shell looks for it.
  private static let path = "PATH=$PATH:/usr/sbin:/sbin; "

  private static func canAddLink(of kind: String) -> Bool {
    guard let unshare = Certificates.find("unshare") else { return false }
    let script = path + "ip link add d0 type \(kind)"
    return (try? status(of: unshare, ["-n", "/bin/sh", "-ec", script])) == 0
  }

  private static func status(of program: URL, _ arguments: [String]) throws -> Int32 {
    // blocks: a moment.
    try Child(program.path, arguments).waitBlocking()
  }
}
#endif
