import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article ServicesAndEnvironments.
struct ServiceGuideSamples {
  // sample: services-two
  struct Shop: Service {
    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      let host = environment == .release ? "shop.example.com" : "shop.test.example.com"
      return URL(string: "https://\(host)/v1").map { ServiceAddresses($0) }
    }
  }

  struct Payments: Service {
    let headers: HTTPHeaders = ["X-Client": "shop"]
    let json: JSONCoding? = JSONCoding(keys: .snakeCase)
    let totalTimeout: Duration? = .seconds(20)

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      let host = environment == .release ? "pay.example.com" : "pay.test.example.com"
      return URL(string: "https://\(host)").map { ServiceAddresses($0) }
    }
  }
  // end sample

  @Test func twoServices() async throws {
    let stub = StubTransport()
    stub.on(.get, "/v1/lamps", .json("[1]"))
    let transport = stub
    // sample: services-client
    let environments = EnvironmentStore(build: .test, storage: .memory())
    let client = NetworkClient(
      .init(services: [Shop(), Payments()], environments: environments, transport: transport))
    let lamps = Request(.get, "/lamps", service: "Shop")
    let ids = try await client.value(of: lamps, as: [Int].self)  // https://shop.test.example.com/v1/lamps
    print(ids)
    // end sample
    expectEqual(stub.requests.last?.url.absoluteString, "https://shop.test.example.com/v1/lamps")
    stub.on(.get, "/v1/slow", .never)
    let slow = SignalRecorder(client.enqueue(request: Request(.get, "/slow", service: "Shop")))
    // sample: services-switch
    try environments.switch(to: .preRelease)  // saved, for the next launch too
    // end sample
    await slow.waitForEnd()
    expectEqual(slow.failure?.code, .contextChanged)
  }
}
