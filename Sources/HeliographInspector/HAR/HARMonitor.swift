public import Foundation
public import Heliograph

/// A monitor that writes a HAR 1.2 file, which the developer tools of Chrome, Firefox and Safari can open.
///
/// ```swift
/// let har = try HARMonitor(file: folder.appending(path: "traffic.har"))
/// let client = NetworkClient(baseURL: apiURL) { $0.monitors = [har] }
/// ```
/// Each attempt and each redirect is an entry, with its timings, its sizes on the wire, its error, and `_fromCache` for
/// a response from the cache. An entry is written within a tenth of a second after its exchange has ended, on the
/// monitor's own queue; a request in flight has no entry yet.
///
/// **The file is complete at any instant**, even if the process is killed: entries are written to a hidden copy beside
/// it (`.traffic.har.next`), which then takes its name. The copy doubles the disk space. A power failure may damage the
/// file. Memory use does not grow with the file.
///
/// **Secrets are redacted** as by ``/Heliograph/ConsoleMonitor``, and only the user can read the file. Bodies are written if
/// they are forms or JSON, which are searched for secrets; of others only the size is written.
///
/// A problem with the file, such as a full disk, is reported as a notice: the affected entries are missing, and the
/// file remains as it was.
public final class HARMonitor: Monitor {
  private let queue: HARQueue

  /// Creates the file and a monitor that writes to it.
  ///
  /// An existing file is renamed, such as `traffic.har` to `traffic-1.har`, replacing any file with that name. Use one
  /// monitor per file; several clients may share it.
  /// - Parameters:
  ///   - file: The URL of the file, in a folder that exists.
  ///   - bodyByteLimit: The maximum size of a body in bytes. A longer body is truncated if secrets are written, otherwise
  ///     omitted. Default: 262,144.
  ///   - fileByteLimit: The maximum size of the file in bytes. A full file is renamed like an existing one, and a new
  ///     file is started. A single longer entry has a file of its own. Default: 100,000,000.
  ///   - includesSecrets: Whether secrets are written, and also bodies other than forms and JSON; binary bodies are
  ///     written in Base64. Such a file must not leave the developer's machine. Default: `false`.
  ///   - onNotice: Receives notices about problems with the file, on the monitor's queue. Default: prints them.
  /// - Throws: A `client` error: ``/Heliograph/NetworkError/Code/fileInUse`` if another monitor writes to the file,
  ///   ``/Heliograph/NetworkError/Code/diskFull``, ``/Heliograph/NetworkError/Code/cannotWriteFile``, or
  ///   ``/Heliograph/NetworkError/Code/cannotCreateFile``, for example if the file system does not support hard links.
  public init(
    file: URL, bodyByteLimit: Int = 262_144, fileByteLimit: Int = 100_000_000,
    includingSecrets includesSecrets: Bool = false, onNotice: @escaping @Sendable (String) -> Void = { print($0) }
  ) throws(NetworkError) {
    let file = try HARFile(file, limit: fileByteLimit)
    let log = ExchangeLog(bodyLimit: max(0, bodyByteLimit), reportsProgress: false)
    queue = HARQueue(file, log, includingSecrets: includesSecrets, report: onNotice)
  }

  deinit { queue.close() }

  /// Records an event; the file is written later, on the monitor's queue.
  public func observe(_ event: MonitorEvent) { queue.observe(event) }

  /// Writes the entries of all exchanges that have ended, and removes the hidden copy; later exchanges are ignored.
  ///
  /// Call it before the process exits, so that no entry is lost. Deallocation does the same without waiting.
  public func close() async {
    await withCheckedContinuation { continuation in queue.close { continuation.resume() } }
  }
}
