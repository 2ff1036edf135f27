import Testing

@testable import Courier

@Suite struct ArgumentTests {
  private func parse(_ words: String..., as command: any Command.Type = Get.self) throws -> Arguments {
    try ArgumentParser(command).parse(words[...])
  }

  private func problem(_ words: String..., as command: any Command.Type = Get.self) -> String? {
    do throws(Failure) {
      _ = try ArgumentParser(command).parse(words[...])
      return nil
    } catch {
      return error.code == .usage ? error.text : "code \(error.code)"
    }
  }

  @Test(arguments: [["-o", "a"], ["-oa"], ["--output", "a"], ["--output=a"], ["-qvoa"], ["-o", "b", "-o", "a"]])
  func anOptionHasManyForms(_ words: [String]) throws {
    let arguments = try ArgumentParser(Get.self).parse((["x.org"] + words)[...])
    #expect(arguments.value(of: .output) == "a")
    #expect(arguments.operand(0) == "x.org")
  }

  @Test func optionsAndOperandsMix() throws {
    let arguments = try parse("-v", "x.org", "-H", "A: 1", "lamp.jpg", "-H", "B: 2", "--put", as: Upload.self)
    #expect(arguments.operands == ["x.org", "lamp.jpg"])
    #expect(arguments.values(of: .header) == ["A: 1", "B: 2"])
    #expect(arguments.has(.verbose) && arguments.has(.put) && !arguments.has(.quiet))
  }

  @Test func afterTwoDashesEverythingIsAnOperand() throws {
    #expect(try parse("--", "x.org", "-v", as: Upload.self).operands == ["x.org", "-v"])
  }

  @Test func aValueMayBeginWithADash() throws {
    #expect(try parse("x.org", "-o", "-").value(of: .output) == "-")
    #expect(try parse("x.org", "--output=").value(of: .output)?.isEmpty == true)
    #expect(try parse("x.org", "-d", "-1", as: Post.self).value(of: .data) == "-1")
  }

  @Test func helpNeedsNoOperands() throws {
    #expect(try parse("--help").has(.help))
    #expect(try parse("-vh").has(.help))
  }

  @Test func usageErrorsSayWhatToDo() {
    #expect(problem() == "get needs URL: usage: courier get URL [options]")
    #expect(problem("x.org", as: Upload.self) == "upload needs FILE: usage: courier upload URL FILE [options]")
    #expect(problem("x.org", "--outptu", "a") == "get has no option --outptu: did you mean --output?")
    #expect(problem("x.org", "--zebra") == "get has no option --zebra: see 'courier get --help'")
    #expect(problem("x.org", "-Z") == "get has no option -Z: see 'courier get --help'")
    #expect(problem("x.org", "-o") == "-o needs a value: write -o FILE")
    #expect(problem("x.org", "--quiet=1") == "--quiet takes no value: remove the = and what follows")
    #expect(problem("x.org", "b")?.hasPrefix("'b' is one argument too many") == true)
  }

  @Test func sizesHaveUnits() throws {
    let sizes = ["0": 0, "12": 12, "500k": 512_000, "20M": 20_971_520, "4G": 4_294_967_296]
    for (text, count) in sizes { #expect(try parse("x", "--limit-size", text).byteCount(of: .limitSize) == count) }
    for text in ["", "k", "-1", "1.5M", "9999999999T", "99999999999999999999", "1kk"] {
      #expect(throws: Failure.self) { try parse("x", "--limit-size", text).byteCount(of: .limitSize) }
    }
  }

  @Test func secondsMayHaveAFraction() throws {
    #expect(try parse("x", "--timeout", "0.5").seconds(of: .timeout) == .milliseconds(500))
    for text in ["0", "-1", "inf", "nan", "1s", "", "1e99"] {
      #expect(throws: Failure.self) { try parse("x", "--timeout", text).seconds(of: .timeout) }
    }
  }

  @Test func fieldsAreSplitAtTheFirstSign() throws {
    let pairs = try parse("x", "--form", "a=1=2", "--form", "b=", as: Post.self).pairs(of: .form)
    #expect(pairs.map(\.name) == ["a", "b"])
    #expect(pairs.map(\.value) == ["1=2", ""])
    for text in ["a", "=b", ""] {
      #expect(throws: Failure.self) { try parse("x", "--form", text, as: Post.self).pairs(of: .form) }
    }
  }

  @Test func similarNamesAreFound() {
    let names = Courier.commands.map { $0.summary.name }
    #expect("gte".closest(among: names) == "get")
    #expect("up".closest(among: names) == "upload")
    #expect("event".closest(among: names) == "events")
    #expect("serve".closest(among: names) == nil)
    #expect("".closest(among: names) == nil)
  }
}
