/// Guesses about subjects and about sources with different failures, of a port of an app with RxSwift and Moya.
extension OtherName {
  static let mixedGuesses = [
    OtherName("show(Signal<Int, Oops>.zip(texts, texts))", "Write a.zip(b): inside of an extension, Signal means"),
    OtherName(
      "show(Signal<Int, Oops>.combineLatest(texts, texts))",
      "Write a.combineLatest(b): inside of an extension, Signal means"),
    OtherName(
      "let _: Signal<(String, Int), NetworkError> = Signal.combineLatest(names, numbers)",
      "write a.combineLatest(b), or setFailureType(to:)"),
    OtherName(
      "show(Signal.combineLatest(names, numbers))",
      "write a.combineLatest(b), or setFailureType(to:)"),
    OtherName(
      "let _: Signal<(Int, String), NetworkError> = Signal.zip(numbers, names)",
      "write a.zip(b), or setFailureType(to:)"),
    OtherName(
      "show(Signal.zip(numbers, names))",
      "write a.zip(b), or setFailureType(to:)"),
    OtherName(
      "show(Signal.merge(names, Signal<String, Never>.just(\"\")))",
      "write a.merge(b), or setFailureType(to:)"),
    OtherName(
      "show(Signal.merge(Signal<String, Never>.just(\"\"), names))",
      "write a.merge(b), or setFailureType(to:)"),
    OtherName(
      "let list = Signal.just([1])",
      "State the failure: Signal<Value, Never>.just(value)"),
    OtherName("let list = Signal.from([1])", "State the failure: Signal<Value, Never>.from(values)"),
    OtherName("let list = Signal.of(1, 2)", "Write Signal<Value, Never>.from([a, b])"),
    OtherName(
      "let _: Signal<Void, Oops> = texts.ignoreElements()",
      "Write then(.empty)"),
    OtherName(
      "show(texts.enumerated())",
      "Write scan(into: seed) { … } with a counter"),
    OtherName(
      "let _: Signal<Int, Oops> = action.execute(1)",
      "Write execute(input) as a statement"),
    OtherName(
      "show(action.inputs)",
      "Write execute(input) for each value"),
    OtherName(
      "texts.subscribe(words)",
      "Write subscribe(onValue: { subject.send($0) }), or subscribe"),
    OtherName(
      "numbers.subscribe(CurrentValue(1))",
      "Write subscribe(onValue: { current.send($0) })"),
  ]

  static let subjectGuesses = [
    OtherName("show(subject.tryMap { (value) throws(Oops) -> Int in value })", "Write signal.tryMap { … }"),
    OtherName("show(subject.mapError { _ in NetworkError(.timedOut) })", "Write signal.mapError { … }"),
    OtherName("show(subject.setFailureType(to: NetworkError.self))", "Write signal.setFailureType(to: type)"),
    OtherName("show(subject.catch { (_: Oops) -> Signal<Int, Never> in .just(1) })", "Write signal.catch { … }"),
    OtherName("show(subject.replaceFailure(with: 1))", "Write signal.replaceFailure(with: value)"),
    OtherName("show(subject.retry(3))", "Write signal.retry(count)"),
    OtherName("show(subject.asResult())", "Write signal.asResult()"),
    OtherName("show(subject.materialize())", "Write signal.materialize()"),
    OtherName("show(subject.on(value: { _ in }))", "Write signal.on(start:value:"),
    OtherName("show(subject.finally {})", "Write signal.finally { … }"),
    OtherName("show(subject.debug())", "Write signal.debug()"),
    OtherName("show(subject.scan(into: 0) { $0 += $1 })", "Write signal.scan(into: seed) { … }"),
    OtherName("show(subject.reduce(0) { $0 + $1 })", "Write signal.reduce(seed) { … }"),
    OtherName("show(subject.collect())", "Write signal.collect()"),
    OtherName("show(subject.pairwise())", "Write signal.pairwise()"),
    OtherName("show(subject.prepend(1))", "Write signal.prepend(values)"),
    OtherName("show(subject.ifEmpty(1))", "Write signal.ifEmpty(value)"),
    OtherName("show(subject.take(while: { $0 > 1 }))", "Write signal.take(while: { … })"),
    OtherName("show(subject.skip(while: { $0 > 1 }))", "Write signal.skip(while: { … })"),
    OtherName("show(subject.take(during: Lifetime()))", "Write signal.take(during: lifetime)"),
    OtherName("show(subject.distinctUntilChanged(by: { $0 == $1 }))", "Write signal.distinctUntilChanged(by: { … })"),
    OtherName("show(subject.delay(.seconds(1)))", "Write signal.delay(interval, on: scheduler)"),
    OtherName("show(subject.throttle(.seconds(1)))", "Write signal.throttle(interval, on: scheduler)"),
    OtherName("show(subject.subscribe(on: .global))", "Write signal.subscribe(on: scheduler)"),
    OtherName(
      "subject.subscribe(onValue: { show($0) }, onFailure: { show($0) })",
      "Write signal.subscribe(onValue:onFailure:onCompletion:)"),
    OtherName("show(subject.bound(to: bag))", "Write signal.bound(to: owner)"),
    OtherName("show(subject.values)", "Write signal.values"),
    OtherName(
      "show(Signal.of(texts, texts).merge())",
      "Write Signal<Value, Never>.from([a, b]), or Signal.merge([a, b])", "Write flatten(.merge)"),
    OtherName("subject.assign(to: \\.title, on: screen)", "Write signal.assign(to: keyPath, on: owner)"),
  ]

  static let settingGuesses = [
    OtherName(
      "show(NetworkClient(baseURL: nil) { $0.validators = [] })",
      "Set stages.baseValidators, which replace the check of the status"),
    OtherName(
      "show(RequestOptions.with { $0.validators = [] })",
      "Set stages.baseValidators, which replace the check of the status"),
    OtherName(
      "show(RequestOptions.with { $0.validationType = StatusValidator() })",
      "Set stages.baseValidators = [StatusValidator(accepted: …)]"),
    OtherName(
      "show(NetworkClient(baseURL: nil) { $0.validationType = StatusValidator() })",
      "Set stages.baseValidators = [StatusValidator(accepted: …)]"),
    OtherName(
      "var validation: ValidationType { .successCodes }; show(validation)",
      "Leave it out: 200 to 299 are successes; others by", "Leave it out: 200 to 299 are successes"),
    OtherName("show(StatusValidator.successAndRedirectCodes)", "Write StatusValidator(accepted: 200..<400)"),
    OtherName(
      "show(URLEncoding(arrayEncoding: .noBrackets, boolEncoding: .numeric))",
      "parameters: of a GET are its query", "Set options.parameterRules = ParameterRules(arrays:", "'repeated'",
      "'digits'"),
    OtherName("show(ParameterRules(booleans: .literal))", "renamed to 'trueFalse'"),
  ]
}
