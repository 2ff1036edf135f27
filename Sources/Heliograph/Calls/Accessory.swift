/// A plug-in that observes the runs of calls, batches and chains, such as a loading indicator.
///
/// `willStart` runs on the thread that starts the work: with ``Call/send()`` off the caller's actor, unless
/// ``NetworkClient/Configuration/processing`` is immediate. `willStop` and `didStop` run on the main actor; after
/// `cancel()`, a disposal or the owner's deallocation, on the thread that cancels, or, if that comes during
/// `willStart`, on the thread that starts the work. In each run, each method is called exactly once, in this order.
public protocol Accessory: Sendable {
  /// The work is about to start.
  ///
  /// Default: no action.
  func willStart(_ work: any Startable)

  /// The work has ended; the delegate and closures are called next.
  ///
  /// Default: no action.
  func willStop(_ work: any Startable)

  /// The delegate and closures have been called.
  ///
  /// Default: no action.
  func didStop(_ work: any Startable)
}

extension Accessory {
  /// The default: no action.
  public func willStart(_ work: any Startable) {}
  /// The default: no action.
  public func willStop(_ work: any Startable) {}
  /// The default: no action.
  public func didStop(_ work: any Startable) {}
}

extension ActivityMonitor: Accessory {
  /// Records that one activity has begun.
  ///
  /// If the client has the same monitor, it also counts the requests of the work.
  public func willStart(_ work: any Startable) { begin() }

  /// Records that one activity has ended.
  public func didStop(_ work: any Startable) { end() }
}
