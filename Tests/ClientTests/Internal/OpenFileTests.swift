import Foundation
import TestSupport
import Testing

@testable import Heliograph

struct OpenFileTests {
  /// File systems report an unsupported sync as `fsync` does for a pipe.
  @Test func aFileThatCannotBeSyncedCountsAsSynced() {
    let pipe = Pipe()
    let file = OpenFile(descriptor: dup(pipe.fileHandleForWriting.fileDescriptor))
    expectNil(file.sync())
    expectEqual(OpenFile(descriptor: -1).sync(), EBADF)
  }

  /// Lustre without `flock` reports `ENOSYS`.
  @Test func anUnsupportedCallIsDistinguishedFromAFailure() {
    for number in [ENOLCK, EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS] { expect(OpenFile.isUnsupported(number), "\(number)") }
    for number in [EWOULDBLOCK, EIO, ENOSPC, EDQUOT, EBADF] { expect(!OpenFile.isUnsupported(number), "\(number)") }
  }
}
