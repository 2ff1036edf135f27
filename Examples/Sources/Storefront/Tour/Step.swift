/// A step of the tour.
struct Step {
  let title: String
  let show: @MainActor (Tour) async throws -> Void

  init(_ title: String, show: @escaping @MainActor (Tour) async throws -> Void) {
    self.title = title
    self.show = show
  }
}
