import Heliograph
import HeliographTesting

extension Step {
  static let dialog = Step("Ten equal failures, one dialog") { tour in
    let shop = try tour.ownShop()
    let presenter = ErrorPresenter(style: { _ in .dialog })
    let model = DialogModel(presenter: presenter)
    let shown = SignalRecorder(presenter.presentations.signal)
    let engine = ProductEngine(client: .shop(baseURL: shop.front.baseURL) { $0.monitors.append(presenter) })
    let failing = (0..<10).map { _ in SignalRecorder(engine.deliverySlots()) }
    for recorder in failing { await recorder.waitForEnd() }
    await tour.wait { model.dialog?.suppressedCount == 9 }
    tour.report.check(
      model.dialog?.suppressedCount == 9 && shown.values.allSatisfy { $0.count < 2 },
      "one dialog, which counts the nine others",
      model.dialog.map { "“\($0.text)”, and \($0.suppressedCount) more" } ?? "no dialog")
    let codes = failing.compactMap { $0.failure?.code }
    tour.report.check(
      codes == Array(repeating: .status(503), count: 10), "each of the ten callers got its own error",
      "\(codes.count) errors: \(Set(codes.map { "\($0)" }).joined(separator: ", "))")

    let visit = await withCheckedContinuation { continuation in
      engine.visit(7).start { _ in
        continuation.resume(returning: nil)
      } onFailure: { call in
        continuation.resume(returning: call.error)
      }
    }
    tour.report.check(
      visit?.code == .status(500) && shown.values.last?.map(\.suppressedCount) == [9],
      "the error of a silent request reaches its caller only",
      "the caller got \(visit.map { "\($0.domain) \($0.code)" } ?? "nothing"), shown: "
        + (shown.values.last ?? []).map { "“\($0.text)”, and \($0.suppressedCount) more" }.joined(separator: "; "))
    model.confirm()
    await tour.wait { model.dialog == nil }
    tour.report.check(
      model.dialog == nil && shown.values.last?.isEmpty == true, "after its confirmation it is not shown",
      model.dialog.map { "“\($0.text)” is still shown" } ?? "nothing is shown")
  }
}
