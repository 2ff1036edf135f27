// A background download in an app, with a Mac and a device: ten minutes.
//
// 1. In Xcode, make an iOS app "Background" with SwiftUI, and replace the contents of its app file by this one.
// 2. Add this package, and to the target the products Heliograph and HeliographBackground.
// 3. Run it on a device. From step 5 on, start it from the Home Screen: the debugger keeps an app from being suspended.
//
// What you should see, and please report if you do not:
// 4. "Download" counts the percentage, and then says "finished" with about 134 million bytes.
// 5. Start again, put the app away, wait a minute, and open it: finished, without a new start.
// 6. Start again, attach the debugger (Debug, Attach to Process), `kill` the process, and open the app from the Home
//    Screen: the same, by the same task.
// 7. In airplane mode "Download" waits; it goes on when the mode is switched off.
// 8. "Secret" fails with 622, a refused redirect, and nothing is sent.
// 9. In the console no line says that a completion handler was not called.
#if os(iOS)
import Foundation
import Heliograph
import HeliographBackground
import Observation
import Signals
import SwiftUI

@main struct BackgroundApp: App {
  @State private var transfers = Transfers()

  var body: some Scene {
    WindowGroup { Screen(transfers: transfers) }
      .backgroundTask(.urlSession(Transfers.identifier)) {
        await BackgroundSessionTransport.handleEvents(forSession: Transfers.identifier)
      }
  }
}

struct Screen: View {
  let transfers: Transfers

  var body: some View {
    VStack {
      Text(transfers.text)
      Button("Download") { transfers.download() }
      Button("Secret") { transfers.sendSecret() }
    }
    // A download of an earlier process is adopted when its request is sent again.
    .task { if UserDefaults.standard.bool(forKey: "isDownloading") { transfers.download() } }
  }
}

@MainActor @Observable final class Transfers {
  nonisolated static let identifier = "org.example.background.transfers"

  private(set) var text = "nothing yet"
  private var isDownloading = false
  private let client = NetworkClient(baseURL: URL(string: "https://cdn.kernel.org")) {
    $0.transport = BackgroundSessionTransport(identifier: Transfers.identifier)
  }

  func download() {
    if isDownloading { return }  // a second tap, or a second window
    isDownloading = true
    text = "running"
    UserDefaults.standard.set(true, forKey: "isDownloading")
    let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
    let file = folder.appending(path: "linux.tar.xz")
    client.download(request: "/pub/linux/kernel/v6.x/linux-6.1.tar.xz", to: file)
      .subscribeOnMain(
        onValue: { [weak self] step in
          if let response = step.finished {
            self?.end("finished: \(response.metrics?.receivedByteCount ?? 0) bytes")
          } else if let part = step.progress?.fractionCompleted {
            self?.text = "\(Int(part * 100)) %"
          }
        },
        onFailure: { [weak self] error in self?.end("failed: \(error)") })
  }

  func sendSecret() {
    client.enqueue(request: Request(.get, "/", headers: ["Authorization": "Bearer secret"]))
      .subscribeOnMain(
        onValue: { [weak self] _ in self?.text = "sent: that is wrong" },
        onFailure: { [weak self] error in self?.text = "failed: \(error)" })
  }

  private func end(_ text: String) {
    self.text = text
    isDownloading = false
    UserDefaults.standard.set(false, forKey: "isDownloading")
  }
}
#endif
