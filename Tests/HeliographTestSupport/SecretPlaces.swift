import Foundation
import Heliograph

/// A place in an exchange where a secret can stand, in the request and in the response.
package struct SecretPlace: Sendable, CustomStringConvertible {
  package let name: String
  var path = "/a"
  var headers: HTTPHeaders = [:]
  var body = Data()
  /// The texts that show the secret, and why: not a name, but only its position says that it is one.
  package var exceptions: [SecretOutput] = []
  package var reason = ""
  /// A URL that is not below the host of the others.
  var address: String?
  package var secret = SecretPlace.secret

  package static let secret = "hunter2"
  /// One whose header is compact, and one whose header has a space.
  private static let webTokens = [
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "eyAiYWxnIjogIkhTMjU2IiB9.eyJzdWIiOiIxIn0.c2ln",
    "ewogICJhbGciOiAiSFMyNTYiCn0.eyJzdWIiOiIxIn0.c2ln",
  ]

  package var description: String { name }

  package var request: HTTPRequest? {
    guard let url = URL(string: address ?? "https://a.example\(path)") else { return nil }
    return HTTPRequest(method: .post, url: url, headers: headers, body: body.isEmpty ? .empty : .data(body))
  }

  package func response(to request: HTTPRequest) -> Response<Data> {
    var head = HTTPResponse(statusCode: 200, headers: headers, url: request.url)
    head.headers.add("1", for: "X-Page")
    return Response(value: body, head: head)
  }

  private static func fields(_ names: [String]) -> [SecretPlace] {
    names.map { SecretPlace(name: "field \($0)", headers: HTTPHeaders([.init(name: $0, value: secret)])) }
  }

  private static func field(_ name: String, _ value: String) -> SecretPlace {
    SecretPlace(name: "field \(name): \(value)", headers: HTTPHeaders([.init(name: name, value: value)]))
  }

  private static func body(_ type: String, _ text: String) -> SecretPlace {
    body(type, Data(text.utf8), text)
  }

  private static func body(_ type: String, _ data: Data, _ name: String) -> SecretPlace {
    SecretPlace(name: "\(type) \(name)", headers: ["Content-Type": type], body: data)
  }

  private static func except(_ place: SecretPlace, in outputs: [SecretOutput], _ reason: String) -> SecretPlace {
    var place = place
    (place.exceptions, place.reason) = (outputs, reason)
    return place
  }

  package static var all: [SecretPlace] {
    namedFields + fieldsWithSecrets + parameters + addresses + forms + json + texts + webTokens.flatMap(places)
  }

  /// Places in which another secret would not be recognized.
  private static func places(_ webToken: String) -> [SecretPlace] {
    [
      field("X-Data", webToken), field("X-Data", "v1 \(webToken)"), field("Location", "https://h/cb/\(webToken)?a=1"),
      SecretPlace(name: "token in a query", path: "/a?page=\(webToken)&b=1"),
      SecretPlace(name: "token in a path", path: "/reset/\(webToken)/b"),
      SecretPlace(name: "token after an escape", path: "/a?page=JWT%20\(webToken)"),
      body("application/x-www-form-urlencoded", "page=\(webToken)&b=1"),
      body("application/json", #"{"access":"\#(webToken)","refresh":"\#(webToken)"}"#),
      body("application/json", #"{"data":["JWT \#(webToken)",1]}"#), body("application/json", "\"\(webToken)\""),
      body("application/x-ndjson", "{\"a\":1}\n{\"access\":\"\(webToken)\"}\n"),
      body("text/event-stream", "data: {\"access\":\"\(webToken)\"}\n\n"),
      body("text/event-stream", "id: \(webToken)\ndata: {\"a\":1}\n\n"),
      body("text/html", Data("<p>\(webToken)</p>caf".utf8) + [0xE9], "a token in ISO 8859-1"),
      body("application/octet-stream", Data([0, 1, 0xFF]) + Data(webToken.utf8) + [2], "a token in other bytes"),
      body("text/plain", webToken.data(using: .utf16LittleEndian) ?? Data(), "a token in UTF-16"),
      body("text/plain", webToken), body("text/html", "<p>\(webToken)</p>"),
      part("form-data; name=\"a\"", webToken),
    ].map { $0.with(secret: webToken) }
  }

  private static let namedFields = fields([
    "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key", "apikey", "X-Auth-Token",
    "X-Access-Token", "X-Refresh-Token", "X-CSRF-Token", "X-Amz-Security-Token", "X-Vault-Token", "Private-Token",
    "X-Shopify-Access-Token", "X-Client-Secret", "X-Hub-Signature-256", "Ocp-Apim-Subscription-Key", "X-Auth-Key",
    "X-Functions-Key", "X-Parse-Master-Key", "X-Session", "X-Session-Id", "X-Otp", "X-GitHub-OTP", "X-Auth", "DPoP",
    "X-RateLimit-Token", "X-Access-Control-Token", "X-PIN", "X-JWT-Assertion", "X-Amz-Signature", "sign",
    "X-Goog-Api-Key", "X-Forwarded-Authorization", "X-CSRF", "X-Shopify-Hmac-Sha256",
  ])

  private static let fieldsWithSecrets: [SecretPlace] = [
    field("Location", "https://u:hunter2@h/x"), field("Location", "https://u:a/hunter2@h"),
    field("Location", "/cb?code=hunter2"),
    field("Content-Location", "https://h/x#access_token=hunter2"), field("Referer", "https://h/x?token=hunter2"),
    field("Link", "<https://h/x?access_token=hunter2>; rel=next"), field("Refresh", "0;url=https://h/x?token=hunter2"),
    field("Destination", "https://u:hunter2@h/x"), field("X-Original-URL", "/x?token=hunter2"),
    field("X-Forwarded-Uri", "/x?a=1&password=hunter2"), field("SourceMap", "/x.map?token=hunter2"),
    field("Report-To", #"{"endpoints":[{"url":"https://h/x?token=hunter2"}]}"#), field("X-Data", "token=hunter2"),
    field("X-Data", #"token="hunter2 hunter2""#), field("X-Data", #"{"password":"hunter2"}"#),
    field("X-Data", "Bearer hunter2"), field("X-Data", "a=1;token=hunter2"), field("X-Data", "password: 'hunter2'"),
    field("X-Data", "https://h/x;jsessionid=hunter2"), field("X-Data", "amqp://u:a/hunter2@h"),
    field("X-Data", "https%3A%2F%2Fh%2F%3Ftoken%3Dhunter2"), field("X-Data", "amqp://u:a#hunter2@h"),
    field("X-Data", "amqp://u:a?b=hunter2@h"), field("X-Data", "amqp://u:a'hunter2@h"),
    field("Location", "https://u:hunter2#@h/x"), field("Location", "https://u:#hunter2@h/x"),
    field("Location", "//u:hunter2@h/x"),
    field("Location", "//hunter2@h/x"), field("X-Data", "“//u:hunter2@h/x”"),
    field("Link", "<//u:hunter2@h/x>; rel=next"),
  ]

  private static let parameters: [SecretPlace] =
    [
      "token", "access_token", "refreshToken", "password", "passwd", "passphrase", "pwd", "pw", "pass", "user_pass",
      "db_pass", "user[pass]", "user%5Bpin%5D", "login[otp]", "pin", "new_pin", "userPIN", "pin2", "secret",
      "client_secret", "api_key", "apiKey", "private_key", "consumer_key", "signing_key", "session_key", "key", "sig",
      "sign", "signature", "X-Amz-Signature", "code", "code_verifier", "sms_code", "mfa_code", "recovery_code",
      "verificationCode", "PHPSESSID", "sid", "session", "SAMLResponse", "SAMLRequest", "ticket", "cvv", "jwt",
      "id_token_hint", "client_assertion", "credential", "%74oken", "auth", "_csrf", "_xsrf", "hmac", "bearer",
      "cookies", "sesskey", "authkey",
      "sessionkey", "oobCode", "ConfirmationCode", "activation_code", "login_code", "one_time_code", "passwort",
      "oauth_verifier", "license_key", "recoveryPhrase", "seed-phrase", "mnemonic",
    ].flatMap { name in
      [
        SecretPlace(name: "query \(name)", path: "/a?page=1&\(name)=hunter2"),
        body("application/x-www-form-urlencoded", "page=1&\(name)=hunter2"),
        body("application/json", #"{"page":1,"\#(name.removingPercentEncoding ?? name)":"hunter2"}"#),
      ]
    }

  private static let addresses: [SecretPlace] = [
    SecretPlace(name: "user and password", address: "https://ada:hunter2@a.example/"),
    SecretPlace(name: "user alone", address: "https://hunter2@a.example/"),
    SecretPlace(name: "fragment", path: "/a#access_token=hunter2&state=1"),
    SecretPlace(name: "semicolon", path: "/a?b=1;token=hunter2"),
    SecretPlace(name: "value with a semicolon", path: "/a?token=a;hunter2"),
    SecretPlace(name: "nested and escaped", path: "/a?redirect_uri=https%3A%2F%2Fapp%2F%3Ftoken%3Dhunter2"),
    SecretPlace(
      name: "nested twice", path: "/a?u=https%3A%2F%2Fb%2F%3Fu%3Dhttps%253A%252F%252Fc%252F%253Ftoken%253Dhunter2"),
    SecretPlace(name: "nested and not escaped", path: "/a?u=https://b/?token=hunter2"),
    SecretPlace(name: "JSON in a query", path: "/a?filter=%7B%22password%22%3A%22hunter2%22%7D"),
    SecretPlace(name: "parameter of a path", path: "/a;jsessionid=hunter2/b"),
    SecretPlace(name: "two question marks", path: "/a?b=1?token=hunter2"),
    SecretPlace(name: "value with a question mark", path: "/a?token=a?hunter2&b=1"),
    SecretPlace(name: "value with an apostrophe", path: "/a?token=a'hunter2&b=1"),
    except(
      SecretPlace(name: "segment of a path", path: "/reset/hunter2"),
      in: SecretOutput.allCases.filter { $0 != .localizedDescription },
      "nothing tells it from the name of a resource, which logs are for"),
  ]

  private static let forms: [SecretPlace] = [
    body("application/x-www-form-urlencoded", "a=1;password=hunter2"),
    body("application/x-www-form-urlencoded", "a=1&password=x;hunter2=1"),
    body("application/x-www-form-urlencoded", "json=%7B%22token%22%3A%22hunter2%22%7D"),
    body("application/x-www-form-urlencoded", "json={\"token\":\"hunter2\"}"),
    body("application/x-www-form-urlencoded", "next=https%3A%2F%2Fa%2F%3Fcode%3Dhunter2"),
    body("Application/X-WWW-Form-URLEncoded; charset=utf-8", "p%61ssword=hunter2"),
  ]
}

extension SecretPlace {
  fileprivate static func malformed(_ text: String) -> SecretPlace { body("application/json", text) }

  fileprivate static let json: [SecretPlace] = [
    body("application/json", #"{"a":1,"a":{"password":"hunter2"}}"#),
    body("application/json", #"{"password":null,"password":"hunter2"}"#),
    body("application/json", #"{"a":"b","a":"x?token=hunter2"}"#),
    body("application/json", #"{"p\u0061ssword":"hunter2"}"#), body("application/json", #"[["password","hunter2"]]"#),
    body("application/json", #"["token=hunter2",1]"#), body("application/json", #"[[[{"token":["hunter2"]}]]]"#),
    body("application/json", #"{"token":{"a":"hunter2"}}"#),
    body("application/json", #"{"name":"password","value":"hunter2"}"#),
    body("application/json", #"{"Key":"password","Value":"hunter2"}"#),
    body("application/json", #"[{"Name":"DB_PASSWORD","Value":"hunter2"}]"#),
    body("application/json", #"{"next":"https://a/?access_token=hunter2"}"#),
    body("application/json", #"{"next":"/items?access_token=hunter2"}"#),
    body("application/json", #"{"next":"https://ada:hunter2@a/"}"#),
    body("application/json", #"{"uri":"amqp://u:a/hunter2@h"}"#),
    body("application/json", #"{"dsn":"db://u:a#hunter2@h"}"#),
    body("application/json", #"{"body":"{\"password\":\"hunter2\"}"}"#),
    body("application/json", #"{"body":"a=1&password=hunter2"}"#),
    body("application/json", #"{"header":"Bearer hunter2"}"#),
    body("application/json", #"{"query":"mutation { login(password: \"hunter2\") { id } }"}"#),
    body("application/json", #"{"log":"curl -H 'Authorization: hunter2'","token":1}"#),
    body("application/problem+json", #"{"token":"hunter2"}"#), body("text/json", #"{"token":"hunter2"}"#),
    body("application/json", "\u{FEFF}{\"token\":\"hunter2\"}"),
    body("application/json", #"{"code":"hunter2a1b2c3"}"#),
    except(
      body("application/json", #"{"code":"hunter2","data":{}}"#), in: [.cassette],
      "a short word with digits at its end beside data is the code of an envelope"),
    body("application/json", #"{"code":"839201"}"#).with(secret: "839201"),
    body("application/json", #"{"code":"839201","message":"sent"}"#).with(secret: "839201"),
    body("application/json", #"{"pin":839201}"#).with(secret: "839201"),
    except(
      body("application/json", #"{"code":839201,"message":"sent"}"#).with(secret: "839201"), in: [.cassette],
      "a number beside a message is the code of an envelope, without which a response is decoded otherwise"),
    body("application/json", String(repeating: "[", count: 70) + "\"hunter2\"" + String(repeating: "]", count: 70)),
    malformed(#"{"access_token":"hunter2",}"#), malformed(#"{"access_token":"hunter2""#),
    malformed(#"/* a */ {"access_token":"hunter2"}"#), malformed(#"{"password":"hunter2"} {"a":1}"#),
    malformed(#"{"password":"hunter2","a":"\ud800"}"#), malformed(#"{"pass\u0077ord":"hunter2",}"#),
    malformed(#"{password:"hunter2"}"#), malformed(#")]}'\#n{"token": "hunter2"}"#),
    malformed(#"cb({"token":"hunter2"})"#),
    body("application/x-ndjson", "{\"a\":1}\n{\"password\":\"hunter2\"}\n"),
    body("application/x-ndjson", "{\"a\":1}\n{\"password\":\"hunter2\",}\n"),
    body("text/plain", #"{"token":"hunter2","a":1}"#),
    body("text/plain", "{\"a\":1,\"a\":{\"token\":\"hunter2\"}}\n[1]"),
    body("text/event-stream", "event: a\ndata: {\"token\":\"hunter2\"}\n\n"),
    body("text/event-stream", "data: {\"password\":\ndata: \"hunter2\"}\n\n"),
    body("text/event-stream", "data:{\ndata:\"a\":1,\"token\":\"hunter2\"\ndata:}\n\n"),
    body("text/event-stream", "id: https://h/x?token=hunter2\ndata: {\"a\":1}\n\n"),
    body("text/event-stream", "event:password=hunter2\ndata: {\"a\":1}\n\n"),
    body("text/event-stream", "retry: 1\nid: {\"token\":\"hunter2\"}\ndata: {\"a\":1}\n\n"),
    body("text/event-stream", ": token=hunter2\ndata: {}\n\n"), body("text/event-stream", "data: token=hunter2\n\n"),
    body(
      "application/json", #"{"token":"hunter2"}"#.data(using: .utf16LittleEndian) ?? Data(), "token in UTF-16"),
    except(
      body("application/json", #""hunter2""#), in: [.cassette], "the whole body is one word, and a replay needs it"),
    except(
      body("application/json", "\u{FEFF} \"hunter2\"\n"), in: [.cassette],
      "the whole body is one word, and a replay needs it"),
    except(
      body("application/json", "839201").with(secret: "839201"), in: [.cassette],
      "the whole body is one number, and a replay needs it"),
  ]

  fileprivate static let texts: [SecretPlace] =
    [
      ("text/xml", "<Password>hunter2</Password>"), ("application/xml", "<a token='hunter2'/>"),
      ("text/html", #"<input name="csrf_token" value="hunter2">"#), ("text/csv", "user,password\nada,hunter2"),
      ("text/yaml", "password: hunter2"), ("text/uri-list", "https://ada:hunter2@a.example/"),
      ("text/plain", "access_token=hunter2&token_type=bearer"), ("text/plain", "password=hunter2\nb=1"),
      ("text/plain", #"{"password":"hunter2""#), ("text/plain", #"response: {"password":"hunter2"}"#),
      ("text/plain", #"{"a":1} {"password":"hunter2"}"#), ("text/plain", "\u{C}{\"password\":\"hunter2\"}"),
      ("text/javascript", #"cb({"token":"hunter2"})"#), ("text/plain", "Authorization: hunter2"),
      ("text/plain", "p%61ssword=hunter2"), ("text/html", "<p>&#112;in: hunter2</p>"),
      ("application/graphql", #"mutation { login(password: "hunter2") }"#), ("", "token=hunter2"),
      ("application/octet-stream", "\u{0}\u{1}password\u{0}hunter2"),
    ].map { body($0.0, $0.1) }
    + [
      part("form-data; name=\"password\"", "hunter2"), part("form-data; name=password", "hunter2"),
      part("form-data; filename=\"a; name=b\"; name=\"password\"", "hunter2"),
      part("form-data; name*=UTF-8''password", "hunter2"), part("form-data; name=\"p\\assword\"", "hunter2"),
      part("form-data; name=\"a\"", #"{"password":"hunter2"}"#),
      part("form-data; name=\"a\"", "Authorization: hunter2"),
      part("form-data; name=\"a\"\r\nX-Token: hunter2", "1"),
      body("text/html", Data("<p>caf".utf8) + [0xE9] + Data(" pin: hunter2</p>".utf8), "a page in ISO 8859-1"),
      body(
        "application/x-www-form-urlencoded", Data("name=J".utf8) + [0xF6] + Data("rg&pin=hunter2".utf8),
        "a form in ISO 8859-1"),
      body("text/plain", "a pin: hunter2".data(using: .utf16) ?? Data(), "UTF-16 with a byte order mark"),
      body(
        "multipart/form-data; boundary=b", "--b\nContent-Disposition: form-data; name=\"token\"\n\nhunter2\n--b--\n"),
      except(
        body("text/plain", "hunter2"), in: [.cassette], "the whole body is one word, and a replay needs it"),
    ]

  private static func part(_ disposition: String, _ content: String) -> SecretPlace {
    body(
      "multipart/form-data; boundary=\"b\"", "--b\r\nContent-Disposition: \(disposition)\r\n\r\n\(content)\r\n--b--\r\n"
    )
  }

  fileprivate func with(secret: String) -> SecretPlace {
    var place = self
    place.secret = secret
    return place
  }
}

/// A text that a person or a log may get of an exchange.
package enum SecretOutput: String, CaseIterable, Sendable {
  case interpolation, description, debugDescription, dump, mirror, curlCommand, console, cassette, nsError,
    errorUserInfo
  case localizedDescription, ownershipLog, report, explanation
}
