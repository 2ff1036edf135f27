/// A plug-in that observes the runs of calls, batches and chains, such as a loading indicator.
///
/// `willStart` runs on the thread that starts the work. `willStop` and `didStop` run on the main actor, or on the thread
/// that cancels; after a cancellation during `willStart`, on the thread that starts. Each run calls each of them exactly
/// once, in this order.
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
  /// No action.
  public func willStart(_ work: any Startable) {}
  /// No action.
  public func willStop(_ work: any Startable) {}
  /// No action.
  public func didStop(_ work: any Startable) {}
}

extension ActivityMonitor: Accessory {
  /// Counts work that starts.
  ///
  /// A client that has the monitor, too, counts the requests of the work besides.
  public func willStart(_ work: any Startable) { begin() }

  /// Counts the end of work.
  public func didStop(_ work: any Startable) { end() }
}
