#if canImport(Darwin)
import Foundation
import Heliograph
import HeliographBackground

/// The sample of the article UploadsAndDownloads that needs a background session; it is type-checked on Linux.
struct BackgroundSamples {
  let apiURL: URL
  let file: URL

  @MainActor func aFilmIsDownloaded(_ show: @escaping @MainActor (String) -> Void) {
    // sample: transfers-background
    let transfers = NetworkClient(baseURL: apiURL) {
      // A request with a token needs `trustsRedirects: true`.
      $0.transport = BackgroundSessionTransport(identifier: "com.example.transfers")
    }
    transfers.download(request: "/film", to: file).subscribeOnMain(
      onValue: { step in if step.finished != nil { show("saved") } },
      onFailure: { show($0.message) })
    // end sample
  }
}
#endif
