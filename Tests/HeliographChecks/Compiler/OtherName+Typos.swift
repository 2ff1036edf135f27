/// One mistake in an expression that is right otherwise: the error names it, whatever overloads exist for other names.
extension OtherName {
  static let typoPrelude = """
    let reply = client.enqueue(request: "/a", resultType: User.self)
    let list = client.enqueue(request: "/b", resultType: [User].self)
    let users = reply.map(\\.value)
    func find(_ name: String) -> Signal<User, NetworkError> { users }

    """

  static let clientTypos = [
    OtherName(
      "show(reply.map(\\.value).flatMap { u in client.enqueue(request: \"/c/\\(u.nam)\", resultType: User.self) })",
      "value of type 'User' has no member 'nam'"),
    OtherName("show(reply.map(\\.value).flatMap(.latest) { u in find(u.nam) })", "'User' has no member 'nam'"),
    OtherName("show(reply.map(\\.value).filter { $0.nam == \"\" })", "'User' has no member 'nam'"),
    OtherName("show(reply.filter { $0.value.nam == \"\" })", "'User' has no member 'nam'"),
    OtherName("show(raw.filter { $0.statusCod == 200 })", "'Response<Data>' has no member 'statusCod'"),
    OtherName("show(reply.map(\\.value).scan(into: \"\") { $0 += $1.nam })", "'User' has no member 'nam'"),
    OtherName("show(reply.map(\\.value).take(while: { $0.nam > \"\" }))", "'User' has no member 'nam'"),
    OtherName("show(reply.map(\\.value).on(value: { show($0.nam) }))", "'User' has no member 'nam'"),
    OtherName("reply.map(\\.value).subscribe(onValue: { show($0.nam) })", "'User' has no member 'nam'"),
    OtherName("reply.map(\\.value).subscribeOnMain(onValue: { show($0.nam) })", "'User' has no member 'nam'"),
    OtherName(
      "reply.map(\\.value).subscribe { if case .value(let user) = $0 { show(user.nam) } }",
      "'User' has no member 'nam'"),
    OtherName("show(list.map(\\.value).map { $0.filter { $0.nam == \"\" } })", "'User' has no member 'nam'"),
    OtherName(
      "show(Signal.zip(reply.map(\\.value), list.map(\\.value)).map { a, b in a.nam + \"\\(b.count)\" })",
      "'User' has no member 'nam'"),
    OtherName("Task { show(try await users.value().nam) }", "'User' has no member 'nam'"),
    OtherName("Task { show(try await reply.map(\\.value).value().nam) }", "'User' has no member 'nam'"),
    OtherName("Task { show(try await users.first()?.nam) }", "'User' has no member 'nam'"),
    OtherName("show(reply.map(\\.value).first().map { $0.nam })", "'User' has no member 'nam'"),
    OtherName("Task { show(try await client.send(request, as: User.self).value.nam) }", "'User' has no member 'nam'"),
    OtherName("Task { show(try await client.send(request, as: User.self).map(\\.nam)) }", "has no member 'nam'"),
    OtherName("Task { show(try await client.value(of: \"/a\", as: [User].self)[0].nam) }", "has no member 'nam'"),
    OtherName("Task { show(try await client.value(of: \"/a\", as: [User].self).map(\\.nam)) }", "has no member 'nam'"),
    OtherName(
      "Task { show(try await client.value(of: \"/a\", as: [User].self).filter { $0.nam == \"\" }) }",
      "has no member 'nam'"),
    OtherName(
      "func load() async throws -> [User] { try await client.value(of: \"/a\", as: User.self) }",
      "cannot convert return expression of type 'User' to return type '[User]'"),
    OtherName("Task { show(try await client.send(\"/a\", as: Usr.self).value) }", "cannot find 'Usr' in scope"),
  ]

  static let signalTypos = [
    OtherName("let _ = Signal.zip(texts, texts).map { $0.0.size }", "'String' has no member 'size'"),
    OtherName("let _ = Signal.zip(texts, texts).map { a, b in a.count + b.size }", "'String' has no member 'size'"),
    OtherName("let _ = Signal.combineLatest(texts, texts).filter { $0.0.size }", "'String' has no member 'size'"),
    OtherName(
      "let _ = Signal.combineLatest(texts, texts).map { !$0.isEmpty && $1.empty }", "has no member 'empty'"),
    OtherName(
      "let _: Signal<Bool, Oops> = Signal.combineLatest(texts, texts).map { a, b in a.isEmpty || b.empty }",
      "has no member 'empty'"),
    OtherName("Task { let _ = try await texts.value().size }", "'String' has no member 'size'"),
    OtherName("Task { let _ = try await texts.first()?.size }", "'String' has no member 'size'"),
    OtherName("let _ = current.value.size", "'Int' has no member 'size'"),
    OtherName("Task { let _ = try await texts.value.count }", "method 'value' was used as a property"),
    OtherName("let _ = Signal<Int, Oops> { o in o.sent(1); return nil }", "has no member 'sent'"),
    OtherName(
      "let _ = Signal<Int, Oops> { o in let task = Task { o.complet() }; return Disposable { task.cancel() } }",
      "has no member 'complet'"),
    OtherName(
      "subject.subscribe(onValue: { print($0.size) }, onFailure: { print($0) })", "'Int' has no member 'size'"),
  ]
}
