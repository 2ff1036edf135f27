import Heliograph
import HeliographTesting

extension Step {
  static let dialog = Step("Ten equal failures, one dialog") { tour in
    let shop = try tour.ownShop()
    let presenter = ErrorPresenter(style: { _ in .dialog })
    let model = DialogModel(presenter: presenter)
    let shown = SignalRecorder(presenter.presentations)
    let api = ShopAPI(baseURL: shop.front.baseURL) { $0.monitors = [presenter] }
    let asked = (0..<10).map { _ in SignalRecorder(api.deliverySlots()) }
    for recorder in asked { await recorder.waitForEnd() }
    await tour.wait { model.dialog?.suppressedCount == 9 }
    tour.report.check(
      model.dialog?.suppressedCount == 9 && shown.values.allSatisfy { $0.count < 2 },
      "one dialog, which counts the nine others",
      model.dialog.map { "“\($0.text)”, and \($0.suppressedCount) more" } ?? "no dialog")
    let codes = asked.compactMap { $0.failure?.code }
    tour.report.check(
      codes == Array(repeating: 503, count: 10), "each of the ten callers got its own error",
      "\(codes.count) errors: \(Set(codes.map { "\($0)" }).joined(separator: ", "))")

    let visit = SignalRecorder(api.noteVisit(of: 7))
    await visit.waitForEnd()
    tour.report.check(
      visit.failure?.code == 500 && shown.values.last?.map(\.suppressedCount) == [9],
      "a silent request's error reaches its caller, and nobody else",
      "the caller got \(visit.failure.map { "\($0.domain) \($0.code)" } ?? "nothing"), there is to be seen: "
        + (shown.values.last ?? []).map { "“\($0.text)”, and \($0.suppressedCount) more" }.joined(separator: "; "))
    model.confirm()
    await tour.wait { model.dialog == nil }
    tour.report.check(
      model.dialog == nil && shown.values.last?.isEmpty == true, "once confirmed, it is gone",
      model.dialog.map { "“\($0.text)” is still there" } ?? "nothing is shown")
  }
}
