import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What is for somebody goes with them.
struct PresentationOwnerTests {
  let audience = Audience()

  @Test("P7") func whatIsShownAndWhatWaitsIsWithdrawnWithALifetime() {
    var lifetime: Lifetime? = Lifetime()
    for style in [PresentationStyle.dialog, .toast, .inline] { audience.present("mine", as: style, for: lifetime) }
    audience.present("yours", as: .dialog)
    audience.present("mine too", as: .dialog, for: lifetime)
    expectEqual(audience.texts, ["mine", "mine", "mine"])
    lifetime = nil
    expectEqual(audience.texts, ["yours"])
    audience.confirm()
    expect(audience.seen.isEmpty)
    expectEqual(audience.dialogTexts, ["mine", "yours"])
    expectEqual(audience.clock.pendingCount, 0)
  }

  @Test("P7") func whatIsShownIsWithdrawnWithAnyObject() async {
    var screen: Screen? = Screen()
    audience.present("mine", as: .dialog, for: screen)
    audience.present("yours", as: .dialog)
    expectEqual(audience.texts, ["mine"])
    screen = nil
    await audience.all.wait { $0.last?.value?.map(\.text) == ["yours"] }
    expectEqual(audience.texts, ["yours"])
  }

  /// Also where it takes a while until an owner's end is noticed.
  @Test func aWaitingDialogIsNeverShownOnceItsOwnerHasGone() {
    audience.present("first", as: .dialog)
    do {
      let screen = Screen()
      audience.present("mine", as: .dialog, for: screen)
    }
    audience.present("last", as: .dialog)
    audience.confirm()
    expectEqual(audience.dialogTexts, ["first", "last"])
  }

  @Test func anEqualErrorOfAnothersStaysUntilBothHaveGone() {
    var first: Lifetime? = Lifetime()
    var second: Lifetime? = Lifetime()
    audience.present("gone", as: .dialog, for: first)
    audience.present("gone", as: .dialog, for: second)
    audience.present("gone", as: .dialog, for: first)
    first = nil
    expectEqual(audience.dialog?.suppressedCount, 2)
    second = nil
    expectNil(audience.dialog)
  }

  @Test(arguments: [false, true]) func whatIsAlsoForNobodyInParticularStays(_ isFirst: Bool) {
    var lifetime: Lifetime? = Lifetime()
    audience.present("gone", as: .dialog, for: isFirst ? nil : lifetime)
    audience.present("gone", as: .dialog, for: isFirst ? lifetime : nil)
    lifetime = nil
    expectEqual(audience.dialog?.suppressedCount, 1)
  }

  @Test func inlineErrorsAreSeenBesideTheirOwnerOnly() {
    var form: Lifetime? = Lifetime()
    let other = Lifetime()
    guard let owner = form else { return }
    let mine = SignalRecorder(audience.presenter.inlines(for: owner).map { $0.map(\.text) })
    let theirs = SignalRecorder(audience.presenter.inlines(for: other).map { $0.map(\.text) })
    audience.present("empty", as: .inline, for: owner)
    audience.present("empty", as: .inline, for: other)
    audience.present("long", as: .inline, for: owner)
    audience.present("toast", for: owner)
    expectEqual(audience.texts, ["empty", "empty", "long", "toast"])
    expectEqual(mine.values, [[], ["empty"], ["empty", "long"]])
    expectEqual(theirs.values, [[], ["empty"]])
    audience.presenter.dismissAll(for: owner)
    expectEqual(mine.values.last, [])
    audience.present("empty", as: .inline, for: owner)
    expectEqual(mine.values.last, ["empty"])
    _ = consume owner
    form = nil
    expectEqual(audience.texts, ["empty"])
    expect(mine.subscription.isDisposed)
    expectEqual(theirs.values, [[], ["empty"]])
  }

  /// The allocator likes to give a new object the place of the old one.
  @Test func aNewOwnerInThePlaceOfOneThatHasGoneInheritsNothing() async {
    for _ in 0..<100 {
      let screen = Screen()
      let inlines = SignalRecorder(audience.presenter.inlines(for: screen))
      audience.present("empty", as: .inline, for: screen)
      audience.present("empty", as: .inline, for: screen)
      // Another thread may be telling of the end of the last one, and then tells of this, too.
      let isNew = await inlines.wait { events in
        if case .value(let shown)? = events.last { shown.map(\.suppressedCount) == [1] } else { false }
      }
      expect(isNew, "\(inlines.values)")
      withExtendedLifetime(screen) {}
    }
  }

  @Test func theErrorsOfADeallocatedObjectAreNotSeenBesideANewOneAtItsAddress() {
    for _ in 0..<100 {
      audience.present("old", as: .inline, for: Screen())
      let screen = Screen()
      let inlines = SignalRecorder(audience.presenter.inlines(for: screen))
      expectEqual(inlines.values.map(\.count), [0])
      inlines.dispose()
      withExtendedLifetime(screen) {}
    }
  }

  @Test func anOwnerMayGoInsideTheDeliveryThatShowsIt() {
    let lifetime = Guarded<Lifetime?>(Lifetime())
    let handle = audience.presenter.dialog.subscribe(onValue: { dialog in
      if dialog != nil {
        let last = lifetime.withLock { $0.take() }
        withExtendedLifetime(last) {}
      }
    })
    audience.present("mine", as: .dialog, for: lifetime.withLock { $0 })
    expectNil(audience.dialog)
    handle.dispose()
  }

  @Test func theOwnerIsNotRetained() async {
    weak var trace: Screen?
    do {
      let screen = Screen()
      trace = screen
      audience.present("mine", as: .dialog, for: screen)
      let signal = Signal<Int, NetworkError>.fail(NetworkError(.api(7))).presentingErrors(
        with: audience.presenter, for: screen)
      SignalRecorder(signal).dispose()
    }
    // The sweep that looks for deallocated owners may hold it for a moment.
    await until { trace == nil }
    expectNil(trace)
  }

  @Test func theOperatorPresentsNothingForAnOwnerWhoHasGone() {
    let source = PublishSubject<Int, NetworkError>()
    var screen: Screen? = Screen()
    let recorder = SignalRecorder(
      source.signal.presentingErrors(with: audience.presenter, as: .dialog, for: screen))
    screen = nil
    source.send(1)
    source.fail(NetworkError(.api(7)))
    expectEqual(recorder.values, [1])
    expectEqual(recorder.failure?.code, .api(7))
    expect(audience.dialogTexts.isEmpty)
  }

  @Test func ownersThatGoWhileOthersPresentTakeAllOfTheirsAlong() async {
    await withTaskGroup(of: Void.self) { [audience] group in
      for task in 0..<4 {
        group.addTask {
          for index in 0..<200 {
            let lifetime = Lifetime()
            audience.present("\(index % 3)", as: task.isMultiple(of: 2) ? .dialog : .inline, for: lifetime)
            if index.isMultiple(of: 5) { audience.confirm() }
            withExtendedLifetime(lifetime) {}
          }
        }
      }
    }
    await audience.all.wait { $0.last?.value?.isEmpty ?? false }
    expect(audience.seen.isEmpty)
    expect(audience.all.violations.isEmpty)
  }
}
