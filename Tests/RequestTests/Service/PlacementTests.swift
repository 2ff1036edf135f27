import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// Where parameters go, own ones and common ones.
struct PlacementTests {
  private let root = "https://books-test.example.com/v1/a"

  private func build(
    _ method: HTTPMethod, _ shop: Bookshop = Bookshop(), parameters: Parameters = ["q": "a b", "n": 2],
    common: [CommonParameters.Name]? = [], body: RequestBody = .empty, placement: ParameterPlacement? = nil
  ) throws -> HTTPRequest {
    let options = RequestOptions.with {
      $0.common = common
      $0.placement = placement
    }
    return try RequestBuilder.knowing(shop).build(
      Request(method, "a", service: "books", parameters: parameters, body: body, options: options))
  }

  @Test("S0-6", arguments: [HTTPMethod.get, .head, .delete]) func theQueryWhereThereIsNoBody(_ method: HTTPMethod)
    throws
  {
    let request = try build(method)
    expectEqual(request.address, root + "?q=a%20b&n=2")
    expectEqual(request.body, .empty)
    expectNil(request.headers["Content-Type"])
  }

  @Test("S0-6", arguments: [HTTPMethod.post, .put, .patch]) func theBodyWhereThereIsOne(_ method: HTTPMethod) throws {
    let request = try build(method)
    expectEqual(request.address, root)
    expectEqual(request.text, "q=a+b&n=2")
    expectEqual(request.headers["Content-Type"], "application/x-www-form-urlencoded")
  }

  @Test func jsonWhereTheServiceOrTheRequestWantsIt() throws {
    for request in [try build(.post, Bookshop(placement: .json)), try build(.post, placement: .json)] {
      expectEqual(request.address, root)
      expectEqual(request.text, #"{"n":2,"q":"a b"}"#)
      expectEqual(request.headers["Content-Type"], "application/json")
    }
    try expectEqual(build(.get, placement: .json).address, root + "?q=a%20b&n=2")
    try expectEqual(build(.post, placement: .query).address, root + "?q=a%20b&n=2")
  }

  @Test func aBodyOfTheRequestsOwnLeavesTheQueryToParameters() throws {
    let request = try build(.post, body: .json(["k": 1]), placement: .json)
    expectEqual(request.address, root + "?q=a%20b&n=2")
    expectEqual(request.text, #"{"k":1}"#)
  }

  @Test("S0-7") func theLegacyFormPutsCommonOnesInTheQueryAndItsOwnInOneField() throws {
    let legacy = Bookshop(
      id: "legacy", common: [CommonParameters("all", ["channelID": 1, "device_id": 2])], defaultCommon: ["all"],
      placement: .legacy(field: "param"))
    let builder = RequestBuilder.knowing(legacy, Bookshop())
    let request = try builder.build(
      Request(
        .post, "a", service: "legacy", parameters: ["name": "Ann", "ids": [1, 2], "at": ["x": nil] as ParameterValue]))
    expectEqual(request.address, "https://legacy-test.example.com/v1/a?channelID=1&device_id=2")
    expectEqual(
      request.text, "param=%7B%22at%22%3A%7B%22x%22%3Anull%7D%2C%22ids%22%3A%5B1%2C2%5D%2C%22name%22%3A%22Ann%22%7D")
    let get = try builder.build(Request(.get, "a", service: "legacy", parameters: ["q": 1]))
    expectEqual(get.address, "https://legacy-test.example.com/v1/a?channelID=1&device_id=2&q=1")
    // The service next to it stays as it is.
    let standard = try builder.build(Request(.post, "a", service: "books", parameters: ["name": "Ann"]))
    expectEqual(standard.text, "channel=1&device=d&name=Ann")
  }

  @Test(
    "S1-1 S1-2 S1-33",
    arguments: [
      ([], "?q=1", nil), (nil, "?channel=1&device=d&q=1", "java"), (["php"], "?device=p&token=t&q=1", "php"),
      (["java", "php"], "?channel=1&device=p&token=t&q=1", "php"),
      (["php", "java"], "?device=d&token=t&channel=1&q=1", "java"),
    ] as [([CommonParameters.Name]?, String, String?)])
  func aRequestSelectsCommonParameters(
    _ names: [CommonParameters.Name]?, _ query: String, _ header: String?
  ) throws {
    let request = try build(.get, parameters: ["q": 1], common: names)
    expectEqual(request.address, root + query)
    expectEqual(request.headers["X-Set"], header)
  }

  @Test("S1-2") func threeSetsAreJoinedInTheOrderOfTheRequest() throws {
    var shop = Bookshop()
    shop.common.append(CommonParameters("web", ["token": "w", "lang": "en"]))
    let request = try build(.get, shop, parameters: ["q": 1], common: ["web", "java", "php"])
    expectEqual(request.address, root + "?token=t&lang=en&channel=1&device=p&q=1")
  }

  @Test("S1-2") func theRequestsOwnValueWins() throws {
    let request = try build(.get, parameters: ["device": "own"], common: nil)
    expectEqual(request.address, root + "?channel=1&device=own")
  }

  /// Wherever both are written; by the names that are sent.
  @Test(
    "S1-2", arguments: [ParameterPlacement.form, .json, .query, .legacy(field: "data")], [HTTPMethod.get, .post])
  func theRequestsOwnParameterReplacesTheCommonOne(_ placement: ParameterPlacement, _ method: HTTPMethod) throws {
    struct Own: Encodable, Sendable {
      let channelId = 2
    }
    let common = CommonParameters("java", ["channel_id": 1, "device": "d"])
    let builder = RequestBuilder.knowing(Bookshop(common: [common], placement: placement))
    let options = RequestOptions.with { $0.json = JSONCoding(keys: .snakeCase) }
    for own in [Parameters(Own()), ["channel_id": 2], ["channel_id": nil]] {
      let sent = try builder.build(Request(method, "a", service: "books", parameters: own, options: options))
      let text = "\(sent.url.query ?? "") \(sent.text)"
      expect(text.contains("device"), "\(placement): \(text)")
      expect(!text.contains("channel_id=1") && !text.contains(#""channel_id":1"#), "\(placement): \(text)")
      if case .legacy = placement, method == .post { expectEqual(sent.address, root + "?device=d") }
    }
  }

  /// Also that of its path, and if the common parameters go into the body.
  @Test("S1-2", arguments: [HTTPMethod.get, .post]) func theRequestsOwnQueryWins(_ method: HTTPMethod) throws {
    let own = [
      Request(method, "a", service: "books", query: ["device": "own"]),
      Request(method, "a?device=own", service: "books"),
    ]
    for (placement, body) in [
      (.query, ""), (.legacy(field: "param"), "param=%7B%7D"), (.form, "channel=1"), (.json, #"{"channel":1}"#),
    ] as [(ParameterPlacement, String)] {
      let builder = RequestBuilder.knowing(Bookshop(placement: placement))
      for request in own {
        let sent = try builder.build(request)
        let isInQuery = method == .get || !body.contains("channel")
        expectEqual(sent.address, root + "?device=own" + (isInQuery ? "&channel=1" : ""), "\(placement)")
        expectEqual(sent.text, method == .get ? "" : body, "\(placement)")
      }
    }
  }

  @Test("S1-2", arguments: [ParameterPlacement.form, .json, .query]) func theRequestsOwnFormWins(
    _ placement: ParameterPlacement
  ) throws {
    let form = try build(.post, parameters: [:], common: nil, body: .form(["device": "own"]), placement: placement)
    expectEqual(form.address, root + "?channel=1")
    expectEqual(form.text, "device=own")
    let parts = RequestBody.multipart([.text("device", "own")])
    try expectEqual(build(.post, parameters: [:], common: nil, body: parts).address, root + "?channel=1")
  }

  @Test("S1-2", arguments: [ParameterPlacement.form, .json]) func nothingIsLeftOfReplacedParameters(
    _ placement: ParameterPlacement
  ) throws {
    let builder = RequestBuilder.knowing(Bookshop(placement: placement))
    // A null value is not written, and replaces the common one all the same.
    let sent = try builder.build(Request(.post, "a?channel=2", service: "books", query: ["device": nil]))
    expectEqual(sent.address, root + "?channel=2")
    expectEqual(sent.body, .empty)
  }

  @Test("S1-2") func namesAreComparedDecodedAndWithoutBrackets() throws {
    let place: ParameterObject = ["x": 1]
    let common = CommonParameters("java", ["ids": [1, 2], "a b": 3, "place": place, "idsOfOthers": 4, "tags[]": 5])
    let builder = RequestBuilder.knowing(Bookshop(common: [common]))
    func address(_ path: RequestPath, _ query: Parameters = [:], _ rules: ParameterRules? = nil) throws -> String {
      try builder.build(
        Request(.get, path, service: "books", query: query, options: .with { $0.parameterRules = rules })
      ).address
    }
    let own = "?ids%5B%5D=9&a%20b=8&place%5Bx%5D=7"
    try expectEqual(
      address("a?ids%5B%5D=9&a%20b=8&place%5Bx%5D=7", ["tags": [6]]), root + own + "&tags%5B%5D=6&idsOfOthers=4")
    try expectEqual(
      address("a?ids=9&a%20b&place.x=7&tags%5B%5D", [:], ParameterRules(objects: .dots)),
      root + "?ids=9&a%20b&place.x=7&tags%5B%5D&idsOfOthers=4")
  }

  @Test func commonParametersThatNobodyHasAreAnError() {
    for name in ["nobody", ""] as [CommonParameters.Name] {
      let error = #expect(throws: NetworkError.self) { try build(.get, common: [name]) }
      expectEqual(error?.code, .unknownCommonParameters)
    }
    let error = #expect(throws: NetworkError.self) {
      try RequestBuilder.knowing(Bookshop()).build(
        Request(.get, "https://a.example", options: .with { $0.common = ["java"] }))
    }
    expectEqual(error?.code, .unknownCommonParameters)
  }

  @Test func parametersThatCannotBeWrittenAreAnError() {
    for (method, number) in [(HTTPMethod.get, Double.nan), (.post, .infinity)] {
      let error = #expect(throws: NetworkError.self) { try build(method, parameters: ["a": number]) }
      expectEqual(error?.code, .invalidParameters)
    }
  }

  private struct Headed: Service {
    let id: ServiceID = "headed"
    var headers: HTTPHeaders = ["X": "service"]
    var common = [CommonParameters("1", headers: ["X": "set 1"]), CommonParameters("2", headers: ["X": "set 2"])]

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://headed.example").map { ServiceAddresses($0) }
    }
  }

  /// Those of the client, the service, the sets in the request's order, and the request; each replaces the former.
  @Test("S1-2 S1-33") func theMostSpecificHeaderFieldWins() throws {
    func value(
      _ service: HTTPHeaders, _ sets: [CommonParameters.Name], _ request: HTTPHeaders
    ) throws -> String? {
      var builder = RequestBuilder.knowing(Headed(headers: service))
      builder.headers = ["X": "client"]
      let request = Request(.get, "/a", service: "headed", headers: request, options: .with { $0.common = sets })
      return try builder.build(request).headers["X"]
    }
    let service: HTTPHeaders = ["X": "service"]
    try expectEqual(value(service, ["1", "2"], ["X": "request"]), "request")
    try expectEqual(value(service, ["1", "2"], [:]), "set 2")
    try expectEqual(value(service, ["2", "1"], [:]), "set 1")
    try expectEqual(value(service, [], [:]), "service")
    try expectEqual(value([:], [], [:]), "client")
  }

  @Test("S0-6") func theClientSetsPlacementAndRulesWithoutAService() throws {
    func sent(_ configure: (inout NetworkClient.Configuration) -> Void) throws -> HTTPRequest {
      let client = NetworkClient(baseURL: URL(string: "https://a.example"), configure)
      return try client.httpRequest(for: Request(.post, "/a", parameters: ["ids": [1, 2]]))
    }
    try expectEqual(sent { _ in }.text, "ids%5B%5D=1&ids%5B%5D=2")
    try expectEqual(sent { $0.placement = .json }.text, #"{"ids":[1,2]}"#)
    try expectEqual(sent { $0.parameterRules.arrays = .repeated }.text, "ids=1&ids=2")
  }
}
