import Foundation

/// Returns bytes that differ from their neighbours: `index * 31`, modulo 256.
package func numberedBytes(_ count: Int) -> Data {
  let block = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  var data = Data(capacity: count)
  while data.count < count { data.append(block.prefix(count - data.count)) }
  return data
}
