import Foundation
import Heliograph

/// Finds the shop's own failures, which come with status 200 and a body like `{"code":4001,"msg":"Sold out."}`.
struct ShopValidator: Validator {
  private struct Problem: Decodable {
    let code: Int
    let msg: String
  }

  func validate(_ response: Response<Data>) throws(NetworkError) {
    // Any other body is valid here; the decoder reads it next.
    guard let problem = try? JSONDecoder().decode(Problem.self, from: response.value), problem.code != 0 else { return }
    throw NetworkError(.api(problem.code), message: problem.msg, reason: "the shop refused", response: response)
  }
}
