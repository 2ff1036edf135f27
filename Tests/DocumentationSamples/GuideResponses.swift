import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: responses-decoder
struct PropertyLists: BodyDecoder {
  func decode<Value: Decodable>(
    _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
  ) throws -> Value {
    let decoder = PropertyListDecoder()
    for (key, value) in userInfo { decoder.userInfo[key] = value }  // for an envelope
    return try decoder.decode(type, from: body)
  }
}
// end sample

/// The samples of the article ResponsesAndJSON.
struct ResponseSamples {
  private let stub = StubTransport()
  private let client: NetworkClient
  private let apiURL = URL(string: "https://api.example.com")

  init() {
    client = NetworkClient(.init(baseURL: apiURL, transport: stub))
  }

  @Test func aResponseIsMoreThanItsValue() async throws {
    struct User: Decodable, Sendable { let name: String }
    stub.on(.get, "/users/1", .json(#"{"name": "Ada"}"#, headers: ["ETag": "\"v1\""]))
    // sample: responses-send
    let name = try await client.value(of: "/users/1", as: User.self).name  // the value alone
    let response = try await client.send("/users/1", as: User.self)  // with status and header fields
    print(response.statusCode, response.etag ?? "", response.headers["Content-Type"] ?? "", response.url)
    // end sample
    expectEqual(name, "Ada")
    expectEqual(response.value.name, "Ada")
    expectEqual(response.statusCode, 200)
    expectEqual(response.etag, "\"v1\"")
    enum API {
      static func user(_ id: Int) -> TypedRequest<User> { Request(.get, "/users/\(id)").returning(User.self) }
    }
    let user = try await client.value(of: API.user(1))
    expectEqual(user.name, "Ada")
  }

  @Test func rulesForJSON() async throws {
    stub.on(.get, "/users/1", .json(#"{"first_name": "Ada", "last_seen": 60}"#))
    let transport = stub
    // sample: responses-json
    struct User: Codable, Sendable {
      let firstName: String
      let lastSeen: Date
    }
    var configuration = NetworkClient.Configuration(baseURL: apiURL, transport: transport)
    configuration.json = JSONCoding(keys: .snakeCase, dates: .secondsSince1970)
    let client = NetworkClient(configuration)
    let user = try await client.value(of: "/users/1", as: User.self)
    // {"first_name": "Ada", "last_seen": 60}, both ways
    // end sample
    expectEqual(user.firstName, "Ada")
    expectEqual(user.lastSeen, Date(timeIntervalSince1970: 60))
    stub.on(.get, "/news", .json(#"{"at": "02.01.2026"}"#))
    struct News: Decodable, Sendable { let at: Date }
    // sample: responses-json-custom
    var news = Request(.get, "/news")
    news.options.json = JSONCoding(configureDecoder: {
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = .gmt  // or a day begins at another time on each device
      format.dateFormat = "dd.MM.yyyy"
      $0.dateDecodingStrategy = .formatted(format)
    })
    let latest = try await client.value(of: news, as: News.self)
    // end sample
    expectEqual(latest.at, Date(timeIntervalSince1970: 1_767_312_000))
    stub.on(.get, "/days", .json(#"[{"at": "2026-01-02"}, {"at": "2026-01-02T00:00:01.5+00:00"}]"#))
    // sample: responses-json-days
    var days = Request(.get, "/days")
    days.options.json = JSONCoding(configureDecoder: {
      guard case .custom(let time) = $0.dateDecodingStrategy else { return }  // the rule for `.iso8601`
      $0.dateDecodingStrategy = .custom { decoder in
        let text = try String(from: decoder)
        let day = text.count == 10 ? try? Date(text, strategy: .iso8601.year().month().day()) : nil
        return try day ?? time(decoder)
      }
    })
    // end sample
    let dates = try await client.value(of: days, as: [News].self).map { $0.at.timeIntervalSince1970 }
    expectEqual(dates, [1_767_312_000, 1_767_312_001.5])
    stub.on(.get, "/days", .json(#"[{"at": "2026-01-42"}]"#))
    let error = await #expect(throws: NetworkError.self) { try await client.value(of: days, as: [News].self) }
    expectEqual(error?.code, .unexpectedShape)
  }

  // sample: responses-recursive
  struct Comment: Decodable, Sendable {
    let text: String
    let replies: [Comment]

    enum CodingKeys: CodingKey { case text, replies }

    init(from decoder: any Decoder) throws {
      guard decoder.codingPath.count < 64 else {  // 32 levels, each with its name and its index
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "too deep"))
      }
      let values = try decoder.container(keyedBy: CodingKeys.self)
      text = try values.decode(String.self, forKey: .text)
      replies = try values.decodeIfPresent([Comment].self, forKey: .replies) ?? []
    }
  }
  // end sample

  @Test(arguments: [(31, true), (32, false), (200, false)])
  func aRecursiveTypeLimitsItself(_ depth: Int, _ isRead: Bool) async throws {
    let body = (0..<depth).reduce(#"{"text": ""}"#) { body, _ in #"{"text": "", "replies": [\#(body)]}"# }
    stub.on(.get, "/comment", .json(body))
    do {
      _ = try await client.value(of: "/comment", as: Comment.self)
      expect(isRead)
    } catch {
      expect(!isRead)
      expect(error.reason.contains("too deep"), "\(error.reason)")
    }
  }

  @Test func aDecoderOfItsOwn() async throws {
    let plist =
      #"<?xml version="1.0"?><plist version="1.0"><dict><key>code</key><integer>0</integer>"#
      + "<key>data</key><dict><key>name</key><string>Ada</string></dict></dict></plist>"
    stub.on(.get, "/users/1", .text(plist))
    let client = NetworkClient(baseURL: apiURL) { [stub] in
      $0.transport = stub
      $0.stages.decoder = PropertyLists()
    }
    var request = Request(.get, "/users/1")
    try await expectEqual(client.value(of: request, as: [String: JSON].self)["code"]?.int, 0)
    request.options.stages = Stages(envelope: .codeMessageData, decoder: PropertyLists())
    try await expectEqual(self.client.value(of: request, as: [String: String].self), ["name": "Ada"])
  }

  @Test func whatIsNotJSON() async throws {
    stub.on(.get, "/motto", .text("Fiat lux"))
    stub.on(.get, "/logo.png", .data(Data([1, 2])))
    stub.on(.delete, "/users/1", .status(204))
    stub.on(.get, "/home", .json(#"{"items": [{"price": 2.5}]}"#))
    // sample: responses-other
    let text = try await client.value(of: "/motto", as: String.self)
    let image = try await client.value(of: "/logo.png", as: Data.self)
    _ = try await client.value(of: Request(.delete, "/users/1"), as: NoContent.self)  // any body, also none
    let home = try await client.value(of: "/home", as: JSON.self)
    print(home["items"][0]["price"].double ?? 0)  // 2.5
    // end sample
    expectEqual(text, "Fiat lux")
    expectEqual(image.count, 2)
    expectEqual(home["items"][0]["price"].double, 2.5)
  }

  @Test func badElementsAreLeftOut() async throws {
    stub.on(.get, "/catalogue", .json(#"{"items": [{"id": 1, "kind": "sofa"}, {"id": "two"}]}"#))
    // sample: responses-lenient
    struct Catalogue: Decodable, Sendable {
      struct Item: Decodable, Sendable {
        enum Kind: String, Decodable, DefaultValue {
          case lamp, chair, unknown
          static let defaultValue = Kind.unknown
        }
        let id: Int
        @Defaulted<Kind> var kind: Kind
        @Defaulted<EmptyValue> var tags: [String]  // []
        @Defaulted<NilValue> var page: URL?  // nil
        @Defaulted<NumberOrZero> var stock: Int  // 126 or "126", else 0
        @Defaulted<NumberOrNil> var views: Int?  // 126 or "126", else nil
      }
      @Lossy var items: [Item]
    }
    let catalogue = try await client.send("/catalogue", as: Catalogue.self)
    for entry in catalogue.decodeReport?.entries ?? [] { print(entry.path, entry.action) }
    // items[1].id dropped
    // end sample
    expectEqual(catalogue.value.items.map(\.id), [1])
    expectEqual(catalogue.value.items.map(\.kind), [.unknown])
    let lines = catalogue.decodeReport?.entries.map { "\($0.path) \($0.action)" }
    expectEqual(lines?.contains("items[1].id dropped"), true)
  }
}
