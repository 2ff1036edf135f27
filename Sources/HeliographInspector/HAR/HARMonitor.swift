public import Foundation
public import Heliograph

/// A monitor that writes a HAR 1.2 file, which the developer tools of Chrome, Firefox and Safari open.
///
/// ```swift
/// let har = try HARMonitor(file: folder.appending(path: "traffic.har"))
/// let client = NetworkClient(baseURL: apiURL) { $0.monitors = [har] }
/// ```
/// Each attempt is an entry, and so is each redirect, with the phases of its time, its sizes on the wire, its error, and
/// `_fromCache` for a response from the cache. An entry is written within a tenth of a second after its exchange has
/// ended, on a queue of the monitor's own; a request in flight has none yet.
///
/// **The file is complete at any instant**, also if the process is killed: entries are written to a hidden copy beside it
/// (`.traffic.har.next`), which then takes its name. Together they need twice the space of the file. A power failure may
/// damage it. The memory does not grow with the file.
///
/// **Secrets are redacted** as by ``/Heliograph/ConsoleMonitor``, and only the user can read the file. Bodies are written if
/// they are forms or JSON, which are searched for secrets; of others only the size is written.
///
/// A problem with the file, such as a full disk, is reported as a notice: its entries are missing, and the file stays as
/// it was.
public final class HARMonitor: Monitor {
  private let log: Guarded<ExchangeLog>
  private let queue: HARQueue

  /// Creates the file and a monitor that writes it.
  ///
  /// An existing file is renamed, `traffic.har` to `traffic-1.har`, and replaces the one with that name. Use one monitor
  /// for a file; several clients may share it.
  /// - Parameters:
  ///   - file: The URL of the file, in a folder that exists.
  ///   - includesSecrets: Whether secrets are written, and also bodies that are neither forms nor JSON, binary ones in
  ///     Base64; such a file must not leave the developer's machine. Default: `false`.
  ///   - bodyLimit: The maximum number of bytes of a body. A longer one is cut if secrets are written, else it is omitted.
  ///     Default: 262,144.
  ///   - fileLimit: The maximum number of bytes of the file. A full one is renamed as an existing one is, and a new one
  ///     begins. Default: 100,000,000.
  ///   - onNotice: Receives notices about problems with the file, on the monitor's queue. Default: prints them.
  /// - Throws: A `client` error: ``/Heliograph/NetworkError/Code/cannotCreateFile``, also if the file system has no hard
  ///   links, ``/Heliograph/NetworkError/Code/diskFull``, or ``/Heliograph/NetworkError/Code/fileInUse`` if another
  ///   monitor writes the file.
  public init(
    file: URL, includingSecrets includesSecrets: Bool = false, bodyLimit: Int = 262_144, fileLimit: Int = 100_000_000,
    onNotice: @escaping @Sendable (String) -> Void = { print($0) }
  ) throws(NetworkError) {
    let file = try HARFile(file, limit: fileLimit)
    queue = HARQueue(file, includingSecrets: includesSecrets, report: onNotice)
    log = Guarded(ExchangeLog(bodyLimit: max(0, bodyLimit), reportsProgress: false))
  }

  deinit { queue.close() }

  /// Records an event; the file is written later, on the monitor's queue.
  public func observe(_ event: MonitorEvent) {
    let now = Date()
    // The log is a value and calls nothing.
    let changes = log.withLock { $0.next(event, at: now) }  // inside the lock: a value that calls nothing
    for case .ended(let record) in changes { queue.add(record) }
  }

  /// Writes the entries of all exchanges that have ended, and removes the hidden copy; later ones are ignored.
  ///
  /// Call it before the process exits, so that no entry is lost. Deallocation does the same without waiting.
  public func close() async {
    await withCheckedContinuation { continuation in queue.close { continuation.resume() } }
  }
}
