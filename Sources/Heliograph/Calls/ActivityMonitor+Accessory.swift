extension ActivityMonitor: Accessory {
  /// Counts work that starts.
  ///
  /// A client that has the monitor, too, counts the requests of the work besides.
  public func willStart(_ work: any Startable) { begin() }

  /// Counts the end of work.
  public func didStop(_ work: any Startable) { end() }
}
